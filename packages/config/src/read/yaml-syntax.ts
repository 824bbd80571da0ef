import { type Document, isScalar, type Scalar, visit, type YAMLError } from 'yaml'

// The library's own messages quote the text, which may be a secret.
const explanations: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'text that begins with * is a YAML alias; put it in quotes',
  BAD_DQ_ESCAPE:
    'an unknown escape such as \\q in double quotes; write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'this line is not indented like the others beside it, or a bracket is not closed',
  BAD_SCALAR_START: 'text cannot begin with @, ` or %; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second key on one line; put text that holds ": " in quotes',
  MISSING_CHAR: 'a comma, a colon, a space, a quote or a bracket is missing here',
  MULTILINE_IMPLICIT_KEY: 'a key without a colon, or one that goes over several lines',
  MULTIPLE_DOCS: 'a second document begins here; one file holds one configuration',
  RESOURCE_EXHAUSTION: 'nested too deeply',
  TAG_RESOLVE_FAILED: 'text that begins with ! is a YAML tag; put it in quotes',
  TAB_AS_INDENT: 'a tab as indentation; use spaces',
  UNEXPECTED_TOKEN:
    'this cannot follow what stands before it: perhaps a comma, a colon, a quote or a bracket is missing, or text with special characters needs quotes',
}

/** What is wrong with the text as YAML, in our words. */
export function explainSyntax(error: YAMLError): string {
  const explanation = isOpenQuote(error)
    ? 'a quote begins here and never ends'
    : (explanations[error.code] ?? 'this cannot be read; text with special characters needs quotes')
  return `not valid YAML: ${explanation}`
}

/** Where to look: for a quote that never ends where it begins, not at the end of the file. */
export function placeSyntax(error: YAMLError, document: Document): number {
  return (isOpenQuote(error) ? lastQuote(document) : undefined) ?? error.pos[0]
}

function isOpenQuote({ code, message }: YAMLError): boolean {
  return code === 'MISSING_CHAR' && message.startsWith('Missing closing')
}

function lastQuote(document: Document): number | undefined {
  let last: Scalar | undefined
  visit(document, {
    Scalar(_, node) {
      if (isScalar(node) && node.type?.startsWith('QUOTE')) last = node
    },
  })
  return last?.range?.[0]
}
