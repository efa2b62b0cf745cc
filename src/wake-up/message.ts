import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { readers } from '../sas/internal.js'

/** The header with the signature of a request's body. */
export const signatureHeader = 'stepward-signature'

/** The longest body that a process reads, in bytes. */
export const longestBody = 256 * 1024

/** The largest difference between the time in a request and the clock of its receiver. */
const credibleMs = 5 * 60_000

const text = z.string().max(2_048)
/** A job, as its partition key and its id. */
const job = z.tuple([text, text])
export type AwaitedJob = z.infer<typeof job>

/**
 * Hints about writes: the roles that must read, and the physical partitions that were written (null: any).
 * `awaited` names the jobs whose ends the sender waits for. The sender asks for these ends with its session.
 */
const hints = z.strictObject({
  at: z.number(),
  wake: z.partialRecord(z.enum(readers), z.array(text).max(1_000).nullable()),
  awaited: z.strictObject({ session: text, jobs: z.array(job).max(5_000) }).optional(),
})
export type HintMessage = Omit<z.infer<typeof hints>, 'at'>

const question = z.strictObject({ at: z.number(), session: text })

/** By role, the physical partitions in hints that the process does not read, because another process has taken them. */
const unread = z.partialRecord(z.enum(readers), z.array(text))
export type Unread = z.infer<typeof unread>

/**
 * The answer to hints: the work that the process takes at the moment, and the hints for which it was the wrong process. A
 * process of an older version answers without a body, or without these hints.
 */
const taken = z.object({ scheduler: text.nullable(), agents: z.boolean() })
const answerToHints = z.object({ unread })

/** The name of the scheduler if it takes jobs (otherwise null), and whether the agents take steps. */
export type TakenWork = Readonly<z.infer<typeof taken>>

/** Reads the answer to hints. Returns null if it does not say which work the process takes. */
export function takenWorkOf(answer: string): TakenWork | null {
  return taken.safeParse(parsedJson(answer)).data ?? null
}

/** Reads the answer to hints. Returns the hints for which the process was the wrong one. */
export function unreadIn(answer: string): Unread {
  return answerToHints.safeParse(parsedJson(answer)).data?.unread ?? {}
}

/** Returns the text of an answer to hints. */
export function answerText(work: TakenWork, wrong: Unread): string {
  return JSON.stringify(Object.keys(wrong).length === 0 ? work : { ...work, unread: wrong })
}

/** The paths of a process that takes hints. */
export const paths = { hints: '/wake', ended: '/ended' } as const

/** The answer to a question for ended jobs. */
export const endedAnswer = z.object({ ended: z.array(job) })

/** Returns the body of a request at the time `now`. */
export function bodyOf(content: object, now: number): string {
  return JSON.stringify({ at: now, ...content })
}

/** Returns the signature of a body sent to a path. */
export function signatureOf(path: string, body: string, key: string): string {
  return createHmac('sha256', key).update(`${path}\n${body}`).digest('base64url')
}

/** The parts of a received request. */
export interface Received {
  readonly path: string
  readonly body: string
  readonly signature: string
}

/** Returns the hints of a signed request. Null if the signature, the time or the form is wrong. */
export function hintsOf(received: Received, key: string, now: number): HintMessage | null {
  return trusted(hints, received, key, now)
}

/** Returns the session of a signed question for ended jobs, or null as {@link hintsOf}. */
export function sessionOf(received: Received, key: string, now: number): string | null {
  return trusted(question, received, key, now)?.session ?? null
}

function trusted<T extends { readonly at: number }>(
  schema: z.ZodType<T>,
  { path, body, signature }: Received,
  key: string,
  now: number,
): T | null {
  const expected = Buffer.from(signatureOf(path, body, key))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const parsed = schema.safeParse(parsedJson(body))
  return parsed.success && Math.abs(now - parsed.data.at) <= credibleMs ? parsed.data : null
}

/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
