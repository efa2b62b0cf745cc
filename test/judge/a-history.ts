import type { Fields } from './rules/history.js'
import { judge, parseHistory, type Verdict } from './rules/index.js'

type End = 'ok' | 'fail' | 'info' | 'none'

/** How an operation ended, if not at once and with success. */
interface Ending {
  readonly end?: End
  /** How long it took, in microseconds. Default 10. */
  readonly takes?: number
}

/** Builds a history line by line, each operation after the one before. */
export class AHistory {
  private readonly lines: string[] = []
  private readonly values = new Map<string, Fields>()
  private at = 0
  private operations = 0
  private etags = 0

  constructor(settings: Fields = { leaseExpirationIntervalMs: 3_000 }) {
    this.note('runner', 'settings', settings)
  }

  /** Advances the time, in milliseconds. */
  later(ms: number): this {
    this.at += ms * 1_000
    return this
  }

  operation(
    process: string,
    what: string,
    [asked, told]: readonly [Fields, Fields],
    ending: Ending = {},
  ): this {
    const { end = 'ok', takes = 10 } = ending
    this.operations += 1
    this.at += 10
    const { at, operations: operation } = this
    const wall = Math.floor(at / 1_000)
    this.say({ at, wall, process, operation, type: 'invoke', what, ...asked })
    if (end !== 'none') this.say({ at: at + takes, wall, process, operation, type: end, what, ...told })
    if (takes <= 10) this.at += takes
    return this
  }

  note(process: string, what: string, fields: Fields = {}): this {
    this.operations += 1
    this.at += 10
    const wall = Math.floor(this.at / 1_000)
    this.say({ at: this.at, wall, process, operation: this.operations, type: 'ok', what, ...fields })
    return this
  }

  /**
   * Writes documents in one transaction. Creates them, or replaces those with the given etag. Their etags are
   * `e1`, `e2` and so on.
   */
  write(
    process: string,
    documents: readonly (Fields & { readonly on?: string })[],
    ending: Ending = {},
  ): this {
    const writes = documents.map(({ on, ...value }) => ({
      kind: on === undefined ? 'create' : 'replace',
      container: 'state',
      id: value['id'],
      ifMatch: on ?? null,
      digest: JSON.stringify(value),
      value,
    }))
    const etags = writes.map(({ value }) => {
      this.etags += 1
      this.values.set(`e${this.etags}`, value)
      return `e${this.etags}`
    })
    const { end = 'ok' } = ending
    const told = end === 'ok' ? { etags } : { status: 412 }
    return this.operation(process, 'write', [{ writes }, told], ending)
  }

  /** Reads a document in that version, or null if it does not exist. */
  read(process: string, id: string, etag: string | null, ending: Ending = {}): this {
    const digest = JSON.stringify(this.values.get(etag ?? ''))
    const documents = etag === null ? [] : [{ container: 'state', id, etag, digest }]
    return this.operation(process, 'read', [{ container: 'state', id }, { documents }], ending)
  }

  judged(): Verdict {
    return judge(parseHistory(this.lines.join('\n')))
  }

  /** Returns the names of the rules that the history breaks. */
  broken(): readonly string[] {
    return [...new Set(this.judged().violations.map(({ rule }) => rule))].sort()
  }

  private say(event: Fields): void {
    this.lines.push(JSON.stringify(event))
  }
}

/** Returns a stored job with the fields that rules use. */
export function aJob(fields: Fields = {}): Fields {
  return {
    id: 'sas.job:j',
    processState: 'Processing',
    stepIds: ['s'],
    steps: { s: { state: 'Processing', dispatch: 1 } },
    fence: 1,
    generation: 1,
    attention: null,
    audit: [],
    replyTo: null,
    notifySeq: 0,
    ttl: -1,
    ...fields,
  }
}

/** Returns the job's step, with an open attempt. */
export function aStep(fields: Fields = {}): Fields {
  return {
    id: 'sas.step:j:s',
    jobId: 'j',
    stepId: 's',
    kind: 'operation',
    direction: 'do',
    processState: 'Processing',
    lockedBy: 'm1',
    dependsOn: [],
    undo: { actor: 'remote' },
    fence: 1,
    dispatch: 1,
    generation: 1,
    attempt: 1,
    idempotencyKey: 'j/s/g1/do',
    completeByMs: 1_000,
    outcome: null,
    output: null,
    ...fields,
  }
}

/** Returns the step after its attempt has succeeded. */
export function aDoneStep(fields: Fields = {}): Fields {
  const outcome = { kind: 'success', attempt: 1, at: new Date(1).toISOString(), by: 'm1' }
  return aStep({
    processState: 'Processed',
    lockedBy: null,
    completeByMs: null,
    outcome,
    output: { receipt: 1 },
    ...fields,
  })
}

/** Returns a call of the step's handler, as the worker records it. */
export function aCall(fields: Fields = {}): Fields {
  return {
    kind: 'do',
    jobId: 'j',
    stepId: 's',
    key: 'j/s/g1/do',
    undoes: null,
    attempt: 1,
    deadline: 1_000,
    receipt: null,
    ...fields,
  }
}

/** Returns an effect of the step, as the remote service records it. */
export function anEffect(fields: Fields = {}): Fields {
  return {
    kind: 'do',
    jobId: 'j',
    stepId: 's',
    key: 'j/s/g1/do',
    undoes: null,
    receipt: 1,
    isReversal: false,
    ...fields,
  }
}

/** Returns a stored lease of the processor. */
export function aLease(fields: Fields = {}): Fields {
  return { id: 'orders..0', LeaseToken: '0', Owner: 'm1', ContinuationToken: null, ...fields }
}
