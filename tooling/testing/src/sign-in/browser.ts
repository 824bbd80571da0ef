/** Where a browser went, and what it was shown in the end. */
export interface Visit {
  readonly places: readonly URL[]
  /** The last place. */
  readonly place: URL
  readonly status: number
  readonly text: string
}

/** Goes to a URL and follows where it leads, with cookies, as the browser of a person does. */
export async function visit(url: string): Promise<Visit> {
  return await go(url, () => false)
}

/** Goes as far as to where the browser is sent back to, and stops there. */
export async function visitUntilCallback(url: string): Promise<URL> {
  return (await go(url, ({ pathname }) => pathname === '/callback')).place
}

async function go(url: string, stop: (place: URL) => boolean): Promise<Visit> {
  const cookies = new Map<string, string>()
  const places: URL[] = []
  for (let place = new URL(url); ; ) {
    places.push(place)
    if (stop(place)) return { places, place, status: 0, text: '' }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(place, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const text = await response.text()
    const location = response.headers.get('location')
    if (location === null) return { places, place, status: response.status, text }
    place = new URL(location, place)
  }
}
