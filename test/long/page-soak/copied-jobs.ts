import { connectWithPorts, type StorePorts } from '../../../src/connection/internal.js'
import type { Workflow } from '../../../src/index.js'
import { decodeDocument } from '../../../src/sas/model/decode.js'
import {
  withoutStoreFields,
  type StateDocument,
  type StateWrite,
} from '../../../src/sas/store/state-store.js'
import { asking, failing, hold, short, type ShownStore } from './shown-store.js'

/** The documents of a job at one moment. */
type Moment = readonly StateDocument[]

/** The moments of a job that ran, and when each was read. */
interface Template {
  readonly jobId: string
  readonly readMs: number
  readonly moments: readonly Moment[]
}

/** A copy of a job, and how many of its moments were written. */
interface Copy {
  readonly template: Template
  readonly jobId: string
  /** How much later than the template it began. */
  readonly byMs: number
  written: number
  readonly etags: Map<string, string>
}

/**
 * The jobs that begin in one step of the time, the one that fails, and the one that asks a person. The changes of two steps
 * fit into one message, which leaves out what is more than 200 jobs.
 */
const [jobsAtOnce, failsAt, asksAt] = [48, 7, 23]
/** The number of steps of the time until a job has its next moment. A problem and a question stay for 100 s. */
const restOf = { plain: 2, person: 25 }

/**
 * Writes copies of jobs that ran, through the port that the roles use: each begins, changes, ends and is later dropped by its
 * time to live. So the store is as it would be after as many jobs, at a small part of the work.
 */
export class CopiedJobs {
  /** The copies that are due, by the step of the time. */
  private readonly due = new Map<number, Copy[]>()
  private count = 0

  private constructor(
    private readonly ports: StorePorts,
    private readonly templates: { plain: Template; failing: Template; asking: Template },
    private readonly clock: ShownStore['clock'],
  ) {}

  static async open(store: ShownStore): Promise<CopiedJobs> {
    const { ports } = await connectWithPorts({ embedded: store.embedded, provision: false })
    const templates = {
      plain: await plainTemplate(store),
      failing: await failingTemplate(store),
      asking: await askingTemplate(store),
    }
    return new CopiedJobs(ports, templates, store.clock)
  }

  /** Writes what changes in one step of the time. Returns the number of changed jobs and steps. */
  async step(number: number): Promise<number> {
    const changed = this.due.get(number) ?? []
    this.due.delete(number)
    const { plain, failing, asking } = this.templates
    for (let index = 0; index < jobsAtOnce; index += 1) {
      const template = index === failsAt ? failing : index === asksAt ? asking : plain
      this.count += 1
      const byMs = this.clock.now() - template.readMs
      changed.push({ template, jobId: `J-${this.count}`, byMs, written: 0, etags: new Map() })
    }
    let documents = 0
    for (const copy of changed) {
      documents += await this.write(copy)
      if (copy.written === copy.template.moments.length) continue
      const isWaiting = copy.written > 1 || copy.template === asking
      const next = number + (isWaiting ? restOf.person : restOf.plain)
      this.due.set(next, [...(this.due.get(next) ?? []), copy])
    }
    return documents
  }

  private async write(copy: Copy): Promise<number> {
    const { template, jobId, byMs, etags } = copy
    const by = { from: template.jobId, to: jobId, byMs }
    const moment = template.moments[copy.written] ?? []
    const writes = moment.map((document): StateWrite => {
      const moved = movedTo(document, by) as StateDocument
      const ifMatch = etags.get(moved.id)
      return ifMatch === undefined
        ? { kind: 'create', document: moved }
        : { kind: 'replace', document: moved, ifMatch }
    })
    const result = await this.ports.state.apply(jobId, writes)
    if (result.kind !== 'applied') throw new Error(`${jobId}: ${JSON.stringify(result)}`)
    for (const [index, { document }] of writes.entries()) etags.set(document.id, result.etags[index] ?? '')
    copy.written += 1
    return moment.length
  }
}

async function plainTemplate(store: ShownStore): Promise<Template> {
  const jobId = 'the-plain-job'
  const { begun, job } = await letGo(store, jobId, short, null)
  await job.result()
  return template(store, jobId, [begun, await momentOf(store, jobId)])
}

async function failingTemplate(store: ShownStore): Promise<Template> {
  const jobId = 'the-failing-job'
  const { begun, job } = await letGo(store, jobId, failing, null)
  await job.result().catch(() => undefined)
  const failed = await momentOf(store, jobId)
  await store.host.client.resubmit(jobId, { step: 'work', input: {}, by: 'ann', why: 'there is paper' })
  await job.result()
  return template(store, jobId, [begun, failed, await momentOf(store, jobId)])
}

/** Submits a job, holds its step until its documents are read, and lets the step go on. */
async function letGo<I, O>(store: ShownStore, jobId: string, workflow: Workflow<I, O>, input: I) {
  const { began, goOn } = hold(jobId)
  const job = await store.host.client.submit(workflow, input, { jobId, retainFor: '1m' })
  await began.promise
  const begun = await momentOf(store, jobId)
  goOn.resolve(undefined)
  return { begun, job }
}

async function askingTemplate(store: ShownStore): Promise<Template> {
  const jobId = 'the-asking-job'
  const { client } = store.host
  const job = await client.submit(asking, null, { jobId, retainFor: '1m' })
  while ((await client.inbox()).every((question) => question.jobId !== jobId));
  const begun = await momentOf(store, jobId)
  await client.answer(jobId, 'approve', { approved: true }, { by: 'ann' })
  await job.result()
  return template(store, jobId, [begun, await momentOf(store, jobId)])
}

function template(store: ShownStore, jobId: string, moments: readonly Moment[]): Template {
  return { jobId, readMs: store.clock.now(), moments }
}

/** Reads the job and the steps of a partition. The last moment of a job has no documents without a time to live. */
async function momentOf({ embedded }: ShownStore, jobId: string): Promise<Moment> {
  const container = embedded.client().database('stepward').container('state')
  const read = container.items.query<StateDocument>('SELECT * FROM c', { partitionKey: jobId })
  const { resources } = await read.fetchAll()
  const told = resources.map(withoutStoreFields).filter(isTold)
  if (told.length < 2) throw new Error(`${jobId}: expected a job and a step, found ${told.length} documents`)
  return told
}

/** Checks whether the page tells browsers of changes of this document. */
function isTold(document: object): boolean {
  const { kind } = decodeDocument(document as StateDocument)
  return kind === 'job' || kind === 'step'
}

interface Move {
  readonly from: string
  readonly to: string
  readonly byMs: number
}

const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** Numbers above this are instants in milliseconds. */
const earliestMs = Date.UTC(2020, 0, 1)

/** Returns a value with another job id and later times. */
function movedTo(value: unknown, move: Move): unknown {
  if (typeof value === 'string') {
    if (isInstant.test(value)) return new Date(Date.parse(value) + move.byMs).toISOString()
    return value.includes(move.from) ? value.replaceAll(move.from, move.to) : value
  }
  if (typeof value === 'number') return value > earliestMs ? value + move.byMs : value
  if (Array.isArray(value)) return value.map((part) => movedTo(part, move))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, movedTo(part, move)]))
}
