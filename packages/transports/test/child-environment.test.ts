import { expect, test } from 'vitest'
import { createChildEnvironment } from '../src/stdio/child-environment.ts'

const own = {
  PATH: '/bin',
  HOME: '/home/me',
  PATHEXT: '.COM;.EXE;.CMD',
  SYSTEMROOT: 'C:\\Windows',
  AWS_SECRET_ACCESS_KEY: 'hunter2',
  NODE_OPTIONS: '--inspect',
  SHELL: '() { echo a function; }',
}

test('a child inherits a short list and what is configured, which goes before it', () => {
  const configured = { HOME: '/srv', TOKEN: 'its own' }
  expect(createChildEnvironment(configured, own, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/srv',
    TOKEN: 'its own',
  })
})

test('on Windows the list holds what finds and runs programs there', () => {
  expect(createChildEnvironment(undefined, own, 'win32')).toEqual({
    PATH: '/bin',
    PATHEXT: '.COM;.EXE;.CMD',
    SYSTEMROOT: 'C:\\Windows',
  })
})
