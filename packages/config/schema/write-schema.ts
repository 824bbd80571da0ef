import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configurationSchema } from '../src/index.ts'

const file = join(import.meta.dirname, 'mobius.schema.json')
await writeFile(file, JSON.stringify(configurationSchema()))
