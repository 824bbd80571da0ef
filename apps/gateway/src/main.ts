#!/usr/bin/env node
import { runMobius } from './program.ts'

process.exitCode = await runMobius(process.argv)
