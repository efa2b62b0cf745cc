/**
 * One instance of a run, as its own process: a host with some roles, and an instance of a change feed
 * processor. The runner may kill it, freeze it, or change its clock by a message.
 */
import { recordedAgents } from './agents.js'
import { Recorder } from './recorder.js'
import { recordedClient } from './recorded-client.js'
import { graceMs, intervals, names, toldSetup } from './setup.js'

const setup = toldSetup()
let steppedMs = 0
const realNow = Date.now
Date.now = () => realNow() + steppedMs

const recorder = new Recorder(setup.history, setup.name)
process.on('message', (told: { readonly stepMs?: number }) => {
  steppedMs = told.stepMs ?? 0
  recorder.note('clock', { steppedMs })
})

const { startHost } = await import('stepward')
const { ChangeFeedProcessor } = await import('stepward/change-feed-processor')
const client = recordedClient(setup, recorder)
const quiet = { emit: () => undefined }
const database = client.database(names.database)
const { stopTimeout: _stop, ...timing } = intervals
const processor = new ChangeFeedProcessor({
  monitoredContainer: database.container(names.orders),
  leaseContainer: database.container(names.leases),
  processorName: names.orders,
  instanceName: setup.name,
  startFrom: 'beginning',
  maxItemCount: 5,
  telemetry: quiet,
  ...timing,
  onLeaseAcquired: (lease) => recorder.note('acquired', { lease }),
  onLeaseReleased: (lease, reason) => recorder.note('released', { lease, reason }),
  onChanges: async (changes, { leaseToken }) => {
    const documents = changes.map(({ id, pk, _etag, _lsn }) => ({ id, pk, etag: _etag, lsn: _lsn }))
    const begun = recorder.invoke('deliver', { lease: leaseToken, documents })
    await new Promise((resolve) => setTimeout(resolve, 40))
    begun.ok()
  },
})
const host = startHost({
  client,
  database: names.database,
  container: names.state,
  leaseContainer: names.leases,
  roles: setup.roles,
  agents: setup.roles.includes('agents') ? recordedAgents(recorder, setup.remote) : [],
  instanceName: setup.name,
  telemetry: quiet,
  timing: intervals,
  sweepInterval: 500,
  deadlineGrace: graceMs,
  sendTimeout: 1_000,
  stopBudget: 300,
  patience: { unavailable: '36500d' },
})
process.once('SIGTERM', () => {
  const stopped = host.then((running) => Promise.all([running.stop(), processor.stop()]))
  stopped.finally(() => process.exit(0)).catch(() => undefined)
})
await Promise.all([host, startedAtLast()])
process.send?.({ started: true })

/** Tries a failed start again, like a platform that restarts the process. */
async function startedAtLast(): Promise<void> {
  for (;;) {
    try {
      await processor.start()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
