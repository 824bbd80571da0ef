import { createMemoryState } from '@mobius-mcp/state'
import { describeState } from '../../src/state/describe-state.ts'
import type { OpenPlace } from '../../src/state/place.ts'

const open: OpenPlace = async (clock) => ({
  state: createMemoryState({ clock }),
  async [Symbol.asyncDispose]() {},
})

describeState('memory', open)
