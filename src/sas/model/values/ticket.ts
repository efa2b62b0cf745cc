import type { Json } from './json.js'

/**
 * What a document contains in place of a large value, which is in the payload store. A ticket names a whole
 * payload and the part of it that it stands for. It leads only to payloads of the job that contains it.
 */
export interface Ticket {
  /** The name of the payload among those of its job. No name is written twice. */
  readonly id: string
  /** The SHA-256 hash of the payload's JSON in base64url, by which a reader checks the payload. */
  readonly hash: string
  /** The size of the payload's JSON. */
  readonly bytes: number
  /** The path of the part within the payload. */
  readonly at: readonly string[]
  /** The number of items if the part is a list. */
  readonly items?: number
  /** True if it is not known whether the payload has this part. */
  readonly isUnsure?: true
}

const key = '$payload'

/** Returns the value that stands for a part of a payload in documents. */
export function ticketFor(ticket: Ticket): Json {
  return { [key]: { ...ticket, at: [...ticket.at] } }
}

/** Returns the value that stands for a text that is made of these parts, of which some are in payloads. */
export function ticketForText(parts: readonly Json[]): Json {
  return { [key]: { text: [...parts] } }
}

/** Returns what follows the key of a ticket, or null for any other value. */
function contentOf(value: Json | undefined): Readonly<Record<string, Json>> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const content = (value as Readonly<Record<string, Json>>)[key]
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return null
  return Object.keys(value).length === 1 ? (content as Readonly<Record<string, Json>>) : null
}

/** Returns the ticket that this value is, or null. */
export function ticketOf(value: Json | undefined): Ticket | null {
  const content = contentOf(value)
  if (content === null) return null
  const { id, hash, bytes, at } = content
  const isTicket =
    typeof id === 'string' && typeof hash === 'string' && typeof bytes === 'number' && Array.isArray(at)
  return isTicket ? (content as unknown as Ticket) : null
}

/** Returns the parts of a text of which some are in payloads, or null for any other value. */
export function textPartsOf(value: Json): readonly Json[] | null {
  const { text } = contentOf(value) ?? {}
  return Array.isArray(text) ? (text as readonly Json[]) : null
}

/** Checks whether a value is a ticket, so that its value is not known without the payload store. */
export function isTicket(value: Json | undefined): boolean {
  return value !== undefined && (ticketOf(value) !== null || textPartsOf(value) !== null)
}

/** Checks whether any part of a value is a ticket. */
export function holdsTicket(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isTicket(value as Json) || Object.values(value).some(holdsTicket)
}

/** Returns all tickets in a value. */
export function ticketsIn(value: unknown): Ticket[] {
  if (typeof value !== 'object' || value === null) return []
  const ticket = ticketOf(value as Json)
  return ticket === null ? Object.values(value).flatMap(ticketsIn) : [ticket]
}

/** Returns a part of the part for which a ticket stands. Returns undefined for an item beyond its list. */
export function partOfTicket({ items, ...ticket }: Ticket, name: string): Json | undefined {
  if (items !== undefined) {
    if (name === 'length') return items
    return Number(name) < items ? ticketFor({ ...ticket, at: [...ticket.at, name] }) : undefined
  }
  return ticketFor({ ...ticket, at: [...ticket.at, name], isUnsure: true })
}
