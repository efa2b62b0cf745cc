import type { Json } from '../model/documents.js'
import { ticketFor, type Ticket } from '../model/values/ticket.js'

/** The largest part of a large value that stays in the document, so that conditions can ask for it. */
const maxKeptBytes = 1_024

/**
 * Returns what a document contains in place of a large value. Small parts of objects stay. A ticket stands for
 * each large text, list or object. If there are too many small parts, one ticket stands for the whole value.
 */
export function split(value: Json, payload: Pick<Ticket, 'id' | 'hash' | 'bytes'>, limitBytes: number): Json {
  const kept = splitPart(value, payload, [])
  return sizeOf(kept) <= limitBytes ? kept : ticketAt(value, payload, [])
}

type Payload = Pick<Ticket, 'id' | 'hash' | 'bytes'>

function splitPart(value: Json, payload: Payload, at: readonly string[]): Json {
  if (sizeOf(value) <= maxKeptBytes) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ticketAt(value, payload, at)
  const parts = Object.entries(value).map(([key, part]): [string, Json] => [
    key,
    splitPart(part, payload, [...at, key]),
  ])
  return Object.fromEntries(parts)
}

function ticketAt(value: Json, { id, hash, bytes }: Payload, at: readonly string[]): Json {
  return ticketFor({ id, hash, bytes, at, ...(Array.isArray(value) ? { items: value.length } : {}) })
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value))
}
