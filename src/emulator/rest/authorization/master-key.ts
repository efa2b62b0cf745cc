import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'

/** The key with which requests are signed, and the clock of the clients that sign. */
export interface Signing {
  readonly key: MasterKey
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
}

export interface SignedParts {
  readonly method: string
  readonly kind: string
  readonly link: string
  readonly date: string
}

/** The largest number of remembered signatures. */
const rememberedSignatures = 1_000

/** The length of the longest signed text that is remembered. */
const longestRemembered = 1_024

export class MasterKey {
  private readonly key: KeyObject
  /** Valid signatures, by signed text. A busy client signs the same text several times in a second. */
  private readonly remembered = new Map<string, Buffer>()

  /** @param key the master key in base64 */
  constructor(key: string) {
    this.key = createSecretKey(Buffer.from(key, 'base64'))
  }

  signatureOf(parts: SignedParts): Buffer {
    return this.signed(signedText(parts))
  }

  /** Checks whether this key made a signature. */
  hasSigned(parts: SignedParts, given: Buffer): boolean {
    const text = signedText(parts)
    const known = this.remembered.get(text)
    const expected = known ?? this.signed(text)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
    if (known === undefined && text.length <= longestRemembered) this.remember(text, expected)
    return true
  }

  /** Returns a seal for a text, by which the account recognises the text when a client sends it back. */
  sealOf(text: string): string {
    return this.signed(`resource\n${text}`).toString('base64')
  }

  /** Checks whether this key sealed a text. */
  hasSealed(text: string, seal: string): boolean {
    const expected = Buffer.from(this.sealOf(text))
    const given = Buffer.from(seal)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** The number of characters of all remembered signed texts. */
  get rememberedCharacters(): number {
    return [...this.remembered.keys()].reduce((total, text) => total + text.length, 0)
  }

  private remember(text: string, signature: Buffer): void {
    if (this.remembered.size >= rememberedSignatures) this.remembered.clear()
    this.remembered.set(text, signature)
  }

  private signed(text: string): Buffer {
    return createHmac('sha256', this.key).update(text).digest()
  }
}

function signedText({ method, kind, link, date }: SignedParts): string {
  return `${method.toLowerCase()}\n${kind}\n${link}\n${date.toLowerCase()}\n\n`
}
