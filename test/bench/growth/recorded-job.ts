import { defineAgent, defineWorkflow, startHost, type Workflow } from 'stepward'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { noop, worker, type Work } from '../jobs/workload.js'

const jobId = 'growth-00000000'

/** The input of the recorded jobs, which no other number of their documents contains. */
const recordedValue = 987_654_321

/** A time in a document, as a number or as a text, and the other values that differ from job to job. */
const ownValues = /\d{4}-\d\d-\d\dT[\d:.]+Z|\b1\d{12}\b|987654321|growth-00000000|"payloadHash":"[^"]*"/gu

export const kinds = ['ended', 'waiting', 'flagged'] as const

/** What a job has become at the end of its record. */
export type JobKind = (typeof kinds)[number]

/** Jobs of the benchmark as the roles wrote them. */
export interface RecordedJobs {
  /** The documents of each transaction as JSON, in the order in which they were written. */
  readonly transactions: Readonly<Record<JobKind, readonly (readonly string[])[]>>
}

const faulty = defineAgent('faulty', {
  fail: (_input: Work): Work => {
    throw new Error('the benchmark wants a flagged job')
  },
})

/** A job that waits for an event after its first step. */
const waiting = defineWorkflow<Work>('waiting', (job) => {
  const first = job.step('first', worker.pass, { value: job.input.value }, { undo: 'none' })
  const event = job.waitFor<Work>('event', { after: [first], completeWithin: '30d' })
  job.step('third', worker.pass, { value: event.output.value }, { undo: 'none' })
})

/** A job whose second step fails for good. */
const flagged = defineWorkflow<Work>('flagged', (job) => {
  const first = job.step('first', worker.pass, { value: job.input.value }, { undo: 'none' })
  const second = job.step(
    'second',
    faulty.fail,
    { value: first.output.value },
    { retry: { tries: 1 }, undo: 'none' },
  )
  job.step('third', worker.pass, { value: second.output.value }, { undo: 'none' })
})

/** Runs a job of each kind on a store in memory, and records every version of its documents. */
export async function recordedJobs(): Promise<RecordedJobs> {
  return {
    transactions: {
      ended: await recorded(noop, '"processState":"Processed"'),
      waiting: await recorded(waiting, '"event":{"state":"Processing"'),
      flagged: await recorded(flagged, '"attention":{"kind"'),
    },
  }
}

/** Runs a job until its own document contains a text. */
async function recorded(workflow: Workflow<Work>, end: string) {
  const cosmos = createInProcessCosmos()
  const host = await startHost({ client: cosmos.client(), agents: [worker, faulty], slots: 1 })
  try {
    const transactions = new Map<number, string[]>()
    const container = cosmos.engine.container('stepward', 'state')
    const ended = new Promise<void>((resolve) => {
      container.indexes.followers.push({
        added: ({ lsn, fields: { text } }) => {
          transactions.set(lsn, [...(transactions.get(lsn) ?? []), text])
          if (text.includes('"type":"sas.job"') && text.includes(end)) resolve()
        },
        removed: () => undefined,
      })
    })
    await host.client.submit(workflow, { value: recordedValue }, { jobId })
    await ended
    return [...transactions.values()]
  } finally {
    await host.stop()
    await cosmos.close()
  }
}

/** Returns the last version of each document, as one transaction. */
export function lastVersions(transactions: readonly (readonly string[])[]): readonly string[] {
  const last = new Map<unknown, string>()
  for (const text of transactions.flat()) last.set((JSON.parse(text) as Record<string, unknown>)['id'], text)
  return [...last.values()]
}

/** Returns the documents of another job's transaction: with an id, a payload and times of its own. */
export function documentsOf(
  transaction: readonly string[],
  number: number,
): readonly Record<string, unknown>[] {
  const id = `growth-${scattered(number)}`
  const [later, hash] = [number * 7, `"payloadHash":"${hashOf(number)}"`]
  return transaction.map((text) => {
    const own = text.replace(ownValues, (value) => {
      if (value === jobId) return id
      if (value.startsWith('"')) return hash
      if (value === String(recordedValue)) return String(number)
      return value.includes('T')
        ? new Date(Date.parse(value) + later).toISOString()
        : String(Number(value) + later)
    })
    return JSON.parse(own) as Record<string, unknown>
  })
}

/** Returns eight digits that belong to this number alone, and that no order of numbers shows. */
function scattered(number: number): string {
  return (Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')
}

function hashOf(number: number): string {
  const words = Array.from(
    { length: 8 },
    (_, place) => Math.imul(number + place, 0x85ebca6b) ^ (number >>> place),
  )
  return Buffer.from(Int32Array.from(words).buffer).toString('base64url')
}
