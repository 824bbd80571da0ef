import { readFileSync } from 'node:fs'

/**
 * What a server really said, byte by byte: llama.cpp's own, as
 * `packages/agent-server/test/local-model/README.md` has it run, with `stream_options.include_usage`.
 */
export function readRecorded(name: 'text.sse' | 'call.sse' | 'too-long.json'): string {
  return readFileSync(new URL(`llama-cpp/${name}`, import.meta.url), 'utf8')
}
