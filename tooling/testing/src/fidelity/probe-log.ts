import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { Recorded } from '../probe/recording.ts'

/** Follows the file in which probes record what they see, from here on; each call gives all of it so far. */
export function followProbeLog(path: string): () => readonly Recorded[] {
  const records: Recorded[] = []
  const decoder = new StringDecoder('utf8')
  let offset = existsSync(path) ? statSync(path).size : 0
  let begun = ''
  return () => {
    const bytes = readFrom(path, offset)
    offset += bytes.length
    const lines = (begun + decoder.write(bytes)).split('\n')
    begun = lines.pop() ?? ''
    records.push(...lines.map((line) => JSON.parse(line) as Recorded))
    return records
  }
}

function readFrom(path: string, offset: number): Buffer {
  if (!existsSync(path)) {
    return Buffer.alloc(0)
  }
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, statSync(path).size - offset))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(file)
  }
}
