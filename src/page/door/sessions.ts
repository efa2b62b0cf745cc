import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../platform/index.js'

/** The largest number of browsers that are signed in. The oldest is signed out first. */
const mostSessions = 100

/**
 * The browsers that are signed in.
 *
 * At any time there is one token, which signs in one browser. The token is then replaced by another.
 */
export class Sessions {
  private readonly open = new Set<string>()
  private current: string

  constructor(private readonly random: Random) {
    this.current = secretOf(random)
  }

  /** The token that signs in the next browser. */
  get token(): string {
    return this.current
  }

  /** Returns the secret of a new session, or null if this is not the present token. */
  exchange(token: string): string | null {
    if (!isSame(token, this.current)) return null
    this.current = secretOf(this.random)
    const secret = secretOf(this.random)
    this.open.add(secret)
    const [oldest] = this.open
    if (this.open.size > mostSessions && oldest !== undefined) this.open.delete(oldest)
    return secret
  }

  isOpen(secret: string): boolean {
    return [...this.open].some((known) => isSame(known, secret))
  }
}

function secretOf(random: Random): string {
  return `${random.id()}${random.id()}`.replaceAll('-', '')
}

/** Compares in a time that does not depend on the texts. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return left !== undefined && right !== undefined && timingSafeEqual(left, right)
}

/** Returns the value of a cookie in a `Cookie` header, or an empty text. */
export function cookieIn(header: string | undefined, name: string): string {
  for (const part of (header ?? '').split(';')) {
    const [key = '', ...value] = part.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return ''
}
