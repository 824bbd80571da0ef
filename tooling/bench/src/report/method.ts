import type { Settings } from '../bench.ts'

/** How the figures came about, for whoever reads or doubts them. */
export function describeMethod(settings: Settings): string[] {
  const { rounds, batches, batchSize, sampleSeconds, sessions, streams, soakCalls, starts } =
    settings
  return [
    `Every subject runs in a process of its own. All subjects of a row are up together and take turns: ${rounds} rounds, one sample each, the order shifted each round.`,
    'A sample is a fixed number of calls. Figures are the best of the rounds; a ratio is best against best, with the lowest and highest ratio of single rounds in parentheses; "by CPU" compares the processor time that the subjects themselves took, which a busy machine disturbs less.',
    `In process: ${batches} batches of ${batchSize} calls a sample, after three samples of warm-up.`,
    `HTTP: a generator over raw kept-alive sockets in its own process, one MCP session a sample, each answer checked for its own call's text; after two samples of warm-up, about ${sampleSeconds} s of calls a sample.`,
    `Sessions: ${sessions}, or ${streams} with an open stream. Soak: ${soakCalls} calls twice. Starts: ${starts} after a first one.`,
    'All echoes give the same bytes: one text and the same as structured content. Node is the same for all, with its default heap limit.',
  ]
}
