import {
  defineAgent,
  defineSchedule,
  defineWorkflow,
  startHost,
  systemClock,
  type Clock,
  type Host,
} from '../../../src/index.js'
import type { AgentContext } from '../../../src/index.js'
import { keepVersions } from '../../../src/connection/keep-versions.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { servePage } from '../../../src/page/index.js'
import { deferred, type Deferred } from '../../support/deferred.js'

/** The number of steps of the job whose graph is drawn. */
export const largeGraph = 1_000

/** A gate that the steps of templates wait at, while it is closed. */
export interface Held {
  readonly began: Deferred<undefined>
  readonly goOn: Deferred<undefined>
}
const held = new Map<string, Held>()

/** Lets the step of a job wait, so that its documents can be read while it works. */
export function hold(jobId: string): Held {
  const one = { began: deferred<undefined>(), goOn: deferred<undefined>() }
  held.set(jobId, one)
  return one
}

const worker = defineAgent('worker', {
  work: async ({ fails }: { fails?: boolean }, context: AgentContext): Promise<unknown> => {
    const one = held.get(context.jobId)
    one?.began.resolve(undefined)
    await one?.goOn.promise
    return fails === true ? context.failPermanently('the printer has no paper') : { done: true }
  },
})
export const short = defineWorkflow<{ readonly fails?: boolean } | null>('short', (job) => {
  job.step('work', worker.work, {}, { undo: 'none' })
})
export const failing = defineWorkflow('failing', (job) => {
  job.step('work', worker.work, { fails: true }, { undo: 'none' })
})
export const asking = defineWorkflow('asking', (job) => {
  job.ask('approve', {
    title: 'Is this right?',
    completeWithin: '1d',
    form: { type: 'object', properties: { approved: { type: 'boolean' } } },
  })
})
const large = defineWorkflow('large', (job) => {
  const first = job.waitFor('start', { completeWithin: '2d' })
  for (let number = 1; number < largeGraph; number += 1) {
    job.step(`step-${number}`, worker.work, {}, { after: [first], undo: 'none' })
  }
})
const waiting = defineWorkflow('waiting', (job) => {
  job.waitFor('data', { completeWithin: '2d' })
})
const schedules = [defineSchedule('yearly', { cron: '30 2 29 2 *', workflow: waiting })]

/** The address and the short name of each view that is kept open. */
export const views: readonly (readonly [string, string])[] = [
  ['now', '/'],
  ['inbox', '/inbox'],
  ['jobs', '/jobs'],
  ['tail', '/tail'],
  ['job', '/job?jobId=large'],
  ['history', '/history?jobId=told'],
  ['scheds', '/schedules'],
  ['sched', '/schedules?schedule=yearly'],
  ['limits', '/limits'],
  ['pauses', '/pauses'],
  ['fleet', '/fleet'],
  ['leases', '/leases'],
  ['opers', '/operations'],
  ['audit', '/audit'],
  ['cost', '/cost'],
]

/** A clock of the store that can be moved forward. */
export class MovedClock implements Clock {
  private skewMs = 0

  now(): number {
    return systemClock.now() + this.skewMs
  }

  monotonic(): number {
    return systemClock.monotonic() + this.skewMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal)
  }

  schedule(ms: number, action: () => void): ReturnType<Clock['schedule']> {
    return systemClock.schedule(ms, action)
  }

  move(ms: number): void {
    this.skewMs += ms
  }
}

/** A store with a host, and a page that shows it. */
export interface ShownStore {
  readonly embedded: InProcessCosmos
  readonly host: Host
  readonly clock: MovedClock
  /** The address that signs in the next browser. */
  readonly address: () => string
  close(): Promise<void>
}

/** Opens a store with something to show in every view, and serves the page. */
export async function shownStore(): Promise<ShownStore> {
  const clock = new MovedClock()
  const embedded = createInProcessCosmos({ clock })
  const host = await startHost({ embedded, agents: [worker], schedules })
  await keepVersions(embedded.client().database('stepward').container('state'), 600_000)
  const { client } = host
  await client.submit(large, null, { jobId: 'large' })
  const told = await client.submit(short, null, { jobId: 'told' })
  await told.result()
  await client.pause('large', 'a look first', { by: 'ann' })
  await client.resume('large', { by: 'ann', why: 'it is fine' })
  await client.pause({ agent: 'printer' }, 'no paper', { by: 'bob' })
  await client.limits.set('bank', { atOnce: 3 }, { by: 'ann', why: 'the bank is slow' })
  let address = ''
  const served = await servePage({
    settings: { embedded, provision: false },
    port: 0,
    by: 'soak',
    workflows: [],
    onOpened: (next) => {
      address = next
    },
  })
  address = served.address
  return {
    embedded,
    host,
    clock,
    address: () => address,
    close: async () => {
      await served.close()
      await host.stop()
      await embedded.close()
    },
  }
}
