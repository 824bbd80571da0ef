import { createMemoryState } from '../src/index.ts'
import type { OpenPlace } from './contracts/place.ts'
import { describeState } from './contracts/state.ts'

const open: OpenPlace = async (clock) => ({
  state: createMemoryState({ clock }),
  async [Symbol.asyncDispose]() {},
})

describeState('memory', open)
