/** What the browser is shown. Nothing of what it brought is repeated. */
export function callbackPage(outcome: 'done' | 'failed' | 'unknown'): string {
  const [title, text] = pages[outcome]
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`
}

const pages = {
  done: ['Signed in', 'You may close this window.'],
  failed: ['Not signed in', 'It did not work. Where you began, it says why.'],
  unknown: ['Nothing to do here', 'This sign-in is over, or was begun elsewhere.'],
} as const
