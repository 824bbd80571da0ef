import { type FileHandle, open } from 'node:fs/promises'

const chunkSize = 64 * 1024
// A longer line is not one of ours.
const maxLine = 1024 * 1024

/** A growing file, read line by line: each reading goes on where the last one ended. */
export class LineFile {
  readonly #path: string
  #offset: number

  /** What lies before the offset is taken as read. */
  constructor(path: string, offset: number = 0) {
    this.#path = path
    this.#offset = offset
  }

  /** The complete lines that were not read yet, some at a time. A line without its end waits for it. */
  async *read(): AsyncGenerator<string[], void, undefined> {
    await using file = await openIfThere(this.#path)
    if (!file) return
    let size = chunkSize
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, this.#offset)
      const end = buffer.lastIndexOf(0x0a, bytesRead - 1)
      if (bytesRead > 0 && end >= 0) {
        this.#offset += end + 1
        size = chunkSize
        yield buffer.toString('utf8', 0, end).split('\n')
      } else if (bytesRead < size) return
      else if (size < maxLine) size *= 2
      else this.#offset += size
    }
  }
}

/** The last bytes of a file, as text. */
export async function readTail(path: string, bytes: number = chunkSize): Promise<string> {
  await using file = await open(path)
  const { size } = await file.stat()
  const length = Math.min(size, bytes)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
  return buffer.toString('utf8', 0, bytesRead)
}

/** The first bytes of a file, as text. */
export async function readHead(path: string, bytes: number = 4096): Promise<string> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
