import { z } from 'zod'

/** What every echo that is built with zod takes in, and gives out as structured content. */
export const echoSchema: z.ZodObject<{ text: z.ZodString }> = z.object({ text: z.string() })

/** The result of every echo: the same bytes from every subject. */
export interface EchoResult {
  content: { type: 'text'; text: string }[]
  structuredContent: { text: string }
  [member: string]: unknown
}

export function toEchoResult(text: string): EchoResult {
  return { content: [{ type: 'text', text }], structuredContent: { text } }
}
