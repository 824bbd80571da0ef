#!/usr/bin/env node
import { runMobius } from './program.ts'

// An older one would crash where the database is opened, without a word.
const oldest = 22
if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(`Mobius needs Node ${oldest} or later; this is ${process.versions.node}\n`)
  process.exitCode = 2
} else process.exitCode = await runMobius(process.argv)
