import { maxCollectedBytes, type Collected } from '../model/question-parts.js'
import type { Json, StepDocument } from '../model/documents.js'
import { sameJson } from '../plan/payload.js'

type Collecting =
  | { readonly kind: 'collected'; readonly collect: Collected }
  /** An event with this key and payload has arrived before. */
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly reason: string }

interface Arriving {
  readonly key?: string | undefined
  readonly payload: Json
  readonly at: string
}

/** The longest key of an event. */
const maxKeyLength = 200

/** Adds an event to those that a step has collected. Events with the same key count once (I38). */
export function collectEvent(collect: Collected, { key, payload, at }: Arriving): Collecting {
  const { count, events } = collect
  if (key === undefined || key === '' || key.length > maxKeyLength)
    return refused(
      `collects ${counted(count)}: give each a key of 1 to ${maxKeyLength} characters, so that a repeated call counts once`,
    )
  const known = events.find((event) => event.key === key)
  if (known !== undefined) {
    if (sameJson(known.payload, payload)) return { kind: 'known' }
    return refused(`has already received another event with the key ${JSON.stringify(key)}`)
  }
  if (events.length >= count) return refused(`has already received ${counted(count)}, as many as it collects`)
  const all = [...events, { key, payload, at }]
  const bytes = Buffer.byteLength(JSON.stringify(all))
  if (bytes > maxCollectedBytes)
    return refused(
      `would have collected ${bytes} bytes, more than ${maxCollectedBytes}: send the address of the data, not the data`,
    )
  return { kind: 'collected', collect: { count, events: all } }
}

/** Returns the payloads that a step has collected, in the order in which they arrived, or null. */
export function payloadsOf({ collect }: Pick<StepDocument, 'collect'>): Json[] | null {
  return collect === undefined ? null : collect.events.map(({ payload }) => payload)
}

function counted(count: number): string {
  return count === 1 ? '1 event' : `${count} events`
}

function refused(reason: string): Collecting {
  return { kind: 'refused', reason }
}
