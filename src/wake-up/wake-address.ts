/** The address at which a process takes hints, and the key that signs the requests to it. */
export interface WakeAddress {
  /** The origin, as in `http://10.0.0.4:8181`. */
  readonly origin: string
  /** Random characters that only readers of the lease container know. */
  readonly key: string
}

/** Returns the address as one text, which is stored in leases. */
export function wakeAddressText({ origin, key }: WakeAddress): string {
  return `${origin}#${key}`
}

/** Returns the address in a lease, or null if the text is not a valid address. */
export function wakeAddressOf(text: string): WakeAddress | null {
  const [address = '', key = ''] = text.split('#')
  const origin = wakeOrigin(address)
  return origin === null || !/^[\w-]{16,}$/.test(key) ? null : { origin, key }
}

/** Returns the origin of a URL without credentials, path and query, or null if it has such a part. */
export function wakeOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, origin, username, password, pathname, search, hash } = new URL(text)
  const isPlain = username === '' && password === '' && pathname === '/' && search === '' && hash === ''
  return isPlain && /^https?:$/.test(protocol) ? origin : null
}

/** Returns whether only processes of the same machine can reach the address. */
export function isOnLoopback({ origin }: WakeAddress): boolean {
  const { hostname } = new URL(origin)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
