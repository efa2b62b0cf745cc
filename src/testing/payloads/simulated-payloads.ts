import type { VirtualClock } from '../../platform/index.js'
import type { PayloadOwner, PayloadStore, StoredPayload } from '../../sas/index.js'
import { ticketsIn } from '../../sas/internal.js'
import type { Checker, SimulationEvent } from '../events.js'
import type { Network, Wiring } from '../network.js'
import type { SimulatedProcess } from '../simulated-process.js'

/** The write point of a payload, which is written before the document that refers to it. */
const payloadPoint = 'W12'

const wiring: Wiring = {
  party: 'payloads',
  writePointOf: (method) => (method === 'put' ? payloadPoint : null),
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}

/**
 * The payload store of a world, which all its processes reach through the network. It also checks that every
 * ticket in a stored document leads to a payload (I31).
 */
export class SimulatedPayloads implements Checker {
  private readonly stored = new Map<string, StoredPayload & { readonly content: Uint8Array }>()

  constructor(
    private readonly container: string,
    private readonly time: VirtualClock,
  ) {}

  /** Returns the store as this process reaches it. */
  reachedBy(process: SimulatedProcess, network: Network, largerThan: number): PayloadStore {
    const { stored, time } = this
    const port = {
      put: async (owner: PayloadOwner, id: string, content: Uint8Array): Promise<void> => {
        stored.set(keyOf(owner, id), { ...owner, id, content, writtenAtMs: time.now() })
      },
      get: async (owner: PayloadOwner, id: string): Promise<Uint8Array | null> =>
        stored.get(keyOf(owner, id))?.content ?? null,
      all: async (): Promise<readonly StoredPayload[]> => [...stored.values()],
      remove: async (payload: StoredPayload): Promise<void> => {
        stored.delete(keyOf(payload, payload.id))
      },
    }
    const connected = network.connect(port, process, wiring)
    return {
      largerThan,
      put: (owner, id, content) => connected.put(owner, id, content),
      get: (owner, id) => connected.get(owner, id),
      list: async function* () {
        yield* await connected.all()
      },
      remove: (payload) => connected.remove(payload),
    }
  }

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== this.container || event.after === null) return []
    const { text } = event.after
    if (!text.includes('"hasTickets":true')) return []
    const document = JSON.parse(text) as { readonly pk: string; readonly jobId: string; readonly id: string }
    return ticketsIn(document).flatMap(({ id }) => {
      const isThere = this.stored.has(keyOf({ partitionKey: document.pk, jobId: document.jobId }, id))
      return isThere ? [] : [`I31: ${document.id} refers to payload ${id}, which does not exist`]
    })
  }
}

function keyOf({ partitionKey, jobId }: PayloadOwner, id: string): string {
  return JSON.stringify([partitionKey, jobId, id])
}
