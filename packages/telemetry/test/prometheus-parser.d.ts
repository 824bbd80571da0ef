/** What is used of a parser that brings no types of its own. */
declare module 'parse-prometheus-text-format' {
  export interface ParsedMetric {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
    /** Of a histogram: how many lie below each bound. */
    readonly buckets?: Readonly<Record<string, string>>
  }

  export interface ParsedFamily {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: readonly ParsedMetric[]
  }

  export default function parsePrometheusTextFormat(text: string): ParsedFamily[]
}
