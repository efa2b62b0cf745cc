import type { KeySpace } from './key-space.js'
import { partitionKeyText, type PartitionKey } from './partition-key.js'

const rememberedHashes = 20_000

/** The hashes of recent keys. Keys recur, and hashing costs more than the rest of a small write. */
export class KeyHashes {
  private readonly hashes = new Map<string, string>()

  constructor(private readonly keySpace: KeySpace) {}

  /** Returns the text of a key and its effective partition key. */
  of(key: PartitionKey): { readonly keyText: string; readonly epk: string } {
    const keyText = partitionKeyText(key)
    let epk = this.hashes.get(keyText)
    if (epk === undefined) {
      epk = this.keySpace.effectiveKeyOf(key)
      if (this.hashes.size >= rememberedHashes) this.hashes.clear()
      this.hashes.set(keyText, epk)
    }
    return { keyText, epk }
  }
}
