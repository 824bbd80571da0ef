import { type Environment, parseConfig } from '../src/index.ts'

/** What the person reads when this text is their configuration. */
export function failureOf(text: string, env: Environment = {}): string {
  try {
    parseConfig(text, { file: 'mobius.yaml', env })
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') return error.message
    throw error
  }
  throw new Error('Expected the text to be refused')
}
