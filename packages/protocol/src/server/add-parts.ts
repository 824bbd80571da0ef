import type { ChangedList, Parts, ServerParts } from './define-server.ts'

/** The parts of both; where a name is in both, the second's. */
export function addParts(first: ServerParts, second: ServerParts): ServerParts {
  const sum: { -readonly [Part in keyof ServerParts]: ServerParts[Part] } = {
    ...first,
    ...second,
    ...(first.tools && second.tools && { tools: addEach(first.tools, second.tools) }),
    ...(first.prompts && second.prompts && { prompts: addEach(first.prompts, second.prompts) }),
    ...(first.resources &&
      second.resources && { resources: addEach(first.resources, second.resources) }),
    ...(first.resourceTemplates && {
      resourceTemplates: { ...first.resourceTemplates, ...second.resourceTemplates },
    }),
  }
  if (first.watch && second.watch) sum.watch = (changed) => watchBoth(first, second, changed)
  return sum
}

function addEach<T>(first: Parts<T>, second: Parts<T>): Parts<T> {
  if (typeof first !== 'function' && typeof second !== 'function') return { ...first, ...second }
  return async (context) => ({
    ...(typeof first === 'function' ? await first(context) : first),
    ...(typeof second === 'function' ? await second(context) : second),
  })
}

function watchBoth(
  first: ServerParts,
  second: ServerParts,
  changed: (list: ChangedList) => void,
): () => void {
  const stops = [first.watch?.(changed), second.watch?.(changed)]
  return () => {
    for (const stop of stops) stop?.()
  }
}
