import type { Fields, History, HistoryEvent, Operation } from './history.js'
import { documentsOf, type Document, type Version } from './versions.js'

/** A history in the form that rules use. */
export interface World {
  readonly history: History
  readonly documents: readonly Document[]
  /** Documents whose writes are conditional: jobs, steps, notices, schedules, limits and leases. */
  readonly guarded: readonly Document[]
  readonly jobs: readonly JobHistory[]
  readonly leases: readonly Document[]
  readonly schedules: readonly Document[]
  /** The limits of steps. */
  readonly gates: readonly Document[]
  /** The client waited for the ticks and jobs that were due before this time, by its clock. Null if it never did. */
  readonly awaitedMs: number | null
  /** The effects in the remote service, in the order of the service. */
  readonly effects: readonly Effect[]
  /** The calls of handlers, in the order in which they began. */
  readonly calls: readonly HandlerCall[]
  /** Processes whose clock a fault changed. */
  readonly stepped: ReadonlySet<string>
}

export interface JobHistory {
  readonly jobId: string
  readonly job: Document
  readonly steps: ReadonlyMap<string, Document>
  readonly notices: readonly Document[]
  /** The newest version of the job, or undefined if it was deleted or never written. */
  readonly last: Fields | undefined
}

export interface Effect {
  readonly kind: 'do' | 'undo'
  readonly key: string
  readonly undoes: string | null
  readonly jobId: string
  readonly stepId: string
  readonly receipt: number
  /** Whether an undo had something to undo. */
  readonly isReversal: boolean
  readonly at: number
  readonly event: HistoryEvent
}

export interface HandlerCall {
  readonly kind: 'do' | 'undo'
  readonly key: string
  readonly undoes: string | null
  readonly jobId: string
  readonly stepId: string
  readonly attempt: number
  readonly deadline: number
  readonly receipt: number | null
  readonly operation: Operation
}

/** Converts a history into the form that rules use. */
export function worldOf(history: History): World {
  const documents = documentsOf(history)
  const guarded = documents.filter(
    ({ id, writes }) => isOurs(id) || writes.some(({ value }) => isLease(value)),
  )
  const stepped = history.events.filter(({ what }) => what === 'clock').map(({ process }) => process)
  const ofType = (type: string) => documents.filter(({ id }) => id.startsWith(`sas.${type}:`))
  const awaited = history.events.find(({ what }) => what === 'awaited')
  return {
    history,
    documents,
    guarded,
    jobs: jobsIn(guarded),
    leases: documents.filter(({ writes }) => writes.some(({ value }) => isLease(value))),
    schedules: ofType('schedule'),
    gates: ofType('gate'),
    awaitedMs: awaited === undefined ? null : numberIn(awaited, 'untilMs'),
    effects: history.events
      .filter(({ what }) => what === 'effect')
      .map((event) => ({ ...(event as unknown as Effect), event })),
    calls: history.operations
      .filter(({ what }) => what === 'handler')
      .map((operation) => ({ ...(operation.invoke as unknown as HandlerCall), operation })),
    stepped: new Set(stepped),
  }
}

/**
 * Checks whether a document is guarded. Alerts are not: they are records of the notifier, and no promise
 * covers them.
 */
function isOurs(id: string): boolean {
  return /^sas\.(job|step|notify|schedule|gate):/.test(id)
}

function isLease(value: Fields): boolean {
  return 'LeaseToken' in value && 'Owner' in value
}

function jobsIn(documents: readonly Document[]): readonly JobHistory[] {
  return documents
    .filter(({ id }) => id.startsWith('sas.job:'))
    .map((job) => {
      const jobId = job.id.slice('sas.job:'.length)
      const own = (type: string) => documents.filter(({ id }) => id.startsWith(`${type}:${jobId}:`))
      const steps = own('sas.step').map((step) => [step.id.slice(`sas.step:${jobId}:`.length), step] as const)
      const last = job.versions.at(-1)
      return {
        jobId,
        job,
        steps: new Map(steps),
        notices: own('sas.notify'),
        last: last?.isThere === true ? last.value : undefined,
      }
    })
}

/** Returns each version with the one before it. */
export function transitionsOf({ versions }: Document): readonly (readonly [Version, Version])[] {
  return versions.slice(1).flatMap((after, index) => {
    const before = versions[index]
    return before === undefined ? [] : [[before, after] as const]
  })
}

/** Returns a number in a document, or NaN. */
export function numberIn(value: Fields, name: string): number {
  const found = value[name]
  return typeof found === 'number' ? found : Number.NaN
}

/** Returns an object in a document, or an empty one. */
export function objectIn(value: Fields | undefined, name: string): Fields {
  const found = value?.[name]
  return typeof found === 'object' && found !== null ? (found as Fields) : {}
}
