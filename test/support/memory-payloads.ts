import type { PayloadOwner, PayloadStore, StoredPayload } from '../../src/sas/payloads/payload-store.js'

/** What the store does at the next calls, instead of answering. */
export type PayloadFault = 'refused' | 'unanswered'

/** A payload store in memory, with faults on request. */
export class MemoryPayloads implements PayloadStore {
  readonly largerThan: number
  readonly stored = new Map<string, { readonly payload: StoredPayload; content: Uint8Array }>()
  readonly calls: string[] = []
  /** The faults of the next calls. A call takes the first one. */
  readonly faults: PayloadFault[] = []

  constructor(
    private readonly now: () => number,
    largerThan = 2_048,
  ) {
    this.largerThan = largerThan
  }

  async put(owner: PayloadOwner, id: string, content: Uint8Array): Promise<void> {
    await this.called('put')
    this.stored.set(keyOf(owner, id), { payload: { ...owner, id, writtenAtMs: this.now() }, content })
  }

  async get(owner: PayloadOwner, id: string): Promise<Uint8Array | null> {
    await this.called('get')
    return this.stored.get(keyOf(owner, id))?.content ?? null
  }

  async *list(): AsyncGenerator<StoredPayload, void, undefined> {
    await this.called('list')
    for (const { payload } of [...this.stored.values()]) yield payload
  }

  async remove(payload: StoredPayload): Promise<void> {
    await this.called('remove')
    this.stored.delete(keyOf(payload, payload.id))
  }

  private async called(method: string): Promise<void> {
    this.calls.push(method)
    const fault = this.faults.shift()
    if (fault === 'refused') throw new Error('503 server busy')
    if (fault === 'unanswered') await new Promise<never>(() => undefined)
  }
}

function keyOf({ partitionKey, jobId }: PayloadOwner, id: string): string {
  return JSON.stringify([partitionKey, jobId, id])
}
