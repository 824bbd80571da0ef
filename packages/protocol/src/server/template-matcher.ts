import { UriTemplateMatcher } from 'uri-template-matcher'

/** The first of several templates that a URI follows, and the values of its variables. */
export type TemplateMatcher = (
  uri: string,
) => { template: string; variables: Record<string, string> } | undefined

/**
 * Finds the template that a URI follows. RFC 6570; a variable that is a list becomes one text, with
 * commas. What is no template matches nothing, and is told to `onInvalid`.
 */
export function createTemplateMatcher(
  templates: readonly string[],
  onInvalid?: (template: string, error: Error) => void,
): TemplateMatcher {
  const each = templates.flatMap((template) => {
    const matcher = new UriTemplateMatcher()
    try {
      matcher.add(template)
    } catch (error) {
      onInvalid?.(template, error as Error)
      return []
    }
    return [{ template, matcher, degree: degreeOf(template) }]
  })
  return (uri) => {
    for (const { template, matcher, degree } of each) {
      if (uri.length ** degree > maxSteps) continue
      const variables = match(matcher, uri)
      if (variables) return { template, variables }
    }
    return undefined
  }
}

/** The library tries every split of a URI between expressions that could share it; so many take it 10 ms. */
const maxSteps = 4e6

/** How many expressions have no end of their own: they take any character, or stand next to another. */
function degreeOf(template: string): number {
  const endless = /\{[+#][^}]*\}|\{[^}]*\*\}|\{[^}]*\}(?=\{)|(?<=\})\{[^}]*\}/g
  return template.match(endless)?.length ?? 0
}

function match(matcher: UriTemplateMatcher, uri: string): Record<string, string> | undefined {
  let params: Record<string, string | string[]> | undefined
  try {
    params = matcher.match(uri)?.params
  } catch {
    // A percent sign in it stands for no character.
  }
  if (!params) return undefined
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
}
