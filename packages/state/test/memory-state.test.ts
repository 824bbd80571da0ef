import { createMemoryState } from '../src/index.ts'
import { describeJournal } from './contracts/journal.ts'
import { describeLeases } from './contracts/leases.ts'
import type { OpenPlace } from './contracts/place.ts'

const open: OpenPlace = async (clock) => ({
  state: createMemoryState({ clock }),
  async [Symbol.asyncDispose]() {},
})

describeLeases('memory', open)
describeJournal('memory', open)
