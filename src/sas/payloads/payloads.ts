import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib'
import { errorMessage, systemRandom } from '../../platform/internal.js'
import type { Random } from '../../platform/index.js'
import type { Json } from '../model/documents.js'
import {
  PayloadDamaged,
  PayloadStoreMissing,
  PayloadUnavailable,
  SubmissionInvalid,
} from '../model/errors.js'
import { textPartsOf, ticketOf, type Ticket } from '../model/values/ticket.js'
import { hashOf } from '../plan/payload.js'
import { asText, property } from '../plan/template.js'
import { exceeds } from '../store/transaction.js'
import type { PayloadOwner, PayloadStore } from './payload-store.js'
import { split } from './split.js'

const [zip, unzip] = [promisify(gzip), promisify(gunzip)]

/** Values of at most this size are packed at once, within a few milliseconds. Others use another thread. */
const maxBytesAtOnce = 262_144

/** The largest size of a payload's JSON. A payload is in memory while a handler runs. */
export const maxPayloadBytes = 100_000_000

/** The parts of a submission that decide where its input is. */
interface Submission {
  readonly jobId: string
  readonly partition: string
  readonly input: Json
  readonly hasTickets?: boolean
}

/** Puts large values into the payload store, and replaces tickets by what they stand for. */
export class Payloads {
  constructor(
    /** Null if this process has no payload store. */
    private readonly store: PayloadStore | null,
    private readonly random: Random,
  ) {}

  /** Checks whether a value belongs into the payload store of this process. */
  isLarge(value: Json): boolean {
    return this.store !== null && exceeds(value, this.store.largerThan)
  }

  /**
   * Puts a large value into the store, and returns what the document contains in its place. Resolves when the
   * payload is durable, so that no document refers to a payload that does not exist (I31).
   *
   * @throws PayloadUnavailable if the payload could not be written
   */
  async put(owner: PayloadOwner, value: Json, signal?: AbortSignal): Promise<Json> {
    const text = JSON.stringify(value)
    const bytes = Buffer.byteLength(text)
    const { store } = this
    if (store === null) throw new PayloadStoreMissing(owner.jobId)
    if (bytes > maxPayloadBytes) {
      throw new SubmissionInvalid(
        `the input has ${bytes} bytes; at most ${maxPayloadBytes} are possible: store it elsewhere, and pass ` +
          'its address',
      )
    }
    const ticket = { id: this.random.id(), hash: hashOf(text), bytes }
    const content = bytes <= maxBytesAtOnce ? gzipSync(text) : await zip(text)
    await reached(owner, ticket.id, () => store.put(owner, ticket.id, content, signal))
    return split(value, ticket, store.largerThan)
  }

  /**
   * Returns a submission with a large input in the store. If the submission then fails, the payload belongs to
   * no job, and a supervisor removes it later.
   *
   * @throws PayloadUnavailable if the payload could not be written; nothing was submitted
   */
  async withLargeInput<R extends Submission>(request: R): Promise<R> {
    const { jobId, partition, input } = request
    if (!this.isLarge(input)) return request
    return { ...request, input: await this.put({ partitionKey: partition, jobId }, input), hasTickets: true }
  }

  /**
   * Returns a value with what its tickets stand for. Reads each payload once.
   *
   * @throws PayloadUnavailable if a payload could not be read now
   * @throws PayloadStoreMissing if the value has tickets, and this process has no payload store
   * @throws PayloadDamaged if a payload is missing or is not the one that was written
   */
  async load(owner: PayloadOwner, value: Json, signal?: AbortSignal): Promise<Json> {
    const read = new Map<string, Promise<Json>>()
    const payloadOf = (ticket: Ticket): Promise<Json> => {
      const known = read.get(ticket.id) ?? this.read(owner, ticket, signal)
      read.set(ticket.id, known)
      return known
    }
    return (await loaded(value, payloadOf)) ?? null
  }

  /**
   * Copies a payload of a job for another job, so that it stays when the first job is removed. Resolves when the
   * copy is durable.
   *
   * @throws PayloadUnavailable if the payload could not be copied now
   * @throws PayloadDamaged if the payload is missing
   */
  async copy(from: PayloadOwner, to: PayloadOwner, id: string): Promise<void> {
    const { store } = this
    if (store === null) throw new PayloadStoreMissing(from.jobId)
    const content = await reached(from, id, () => store.get(from, id))
    if (content === null) throw new PayloadDamaged(from.jobId, id, 'it is missing')
    await reached(to, id, () => store.put(to, id, content))
  }

  private async read(owner: PayloadOwner, { id, hash, bytes }: Ticket, signal?: AbortSignal): Promise<Json> {
    const { store } = this
    if (store === null) throw new PayloadStoreMissing(owner.jobId)
    const content = await reached(owner, id, () => store.get(owner, id, signal))
    if (content === null) throw new PayloadDamaged(owner.jobId, id, 'it is missing')
    const text = await unzipped(content, bytes).catch((error: unknown) => {
      throw new PayloadDamaged(owner.jobId, id, `it cannot be unpacked (${errorMessage(error)})`)
    })
    if (hashOf(text) !== hash) {
      throw new PayloadDamaged(owner.jobId, id, 'its content is not the one that was written (wrong hash)')
    }
    return JSON.parse(text) as Json
  }
}

/** The payloads of a process without a payload store. */
export const noPayloads = new Payloads(null, systemRandom)

async function unzipped(content: Uint8Array, bytes: number): Promise<string> {
  const limit = { maxOutputLength: bytes }
  const text = bytes <= maxBytesAtOnce ? gunzipSync(content, limit) : await unzip(content, limit)
  return text.toString('utf8')
}

async function reached<T>({ jobId }: PayloadOwner, id: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    const message = `payload ${id} of job ${JSON.stringify(jobId)}: the payload store: ${errorMessage(error)}`
    throw new PayloadUnavailable(message, { cause: error })
  }
}

/** Returns the value with what its tickets stand for. Returns undefined if a payload lacks the part. */
async function loaded(value: Json, payloadOf: (ticket: Ticket) => Promise<Json>): Promise<Json | undefined> {
  if (typeof value !== 'object' || value === null) return value
  const ticket = ticketOf(value)
  if (ticket !== null) {
    return ticket.at.reduce<Json | undefined>(property, await payloadOf(ticket))
  }
  const parts = textPartsOf(value)
  if (parts !== null) {
    const values = await Promise.all(parts.map((part) => loaded(part, payloadOf)))
    return values.map((each) => asText(each ?? null)).join('')
  }
  if (Array.isArray(value)) {
    const items = await Promise.all(value.map((item: Json) => loaded(item, payloadOf)))
    return items.map((item) => item ?? null)
  }
  const entries = await Promise.all(
    Object.entries(value).map(async ([key, part]) => [key, await loaded(part, payloadOf)] as const),
  )
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined)) as Json
}
