import { parseArgs } from 'node:util'
import { startHost, systemClock, type Host } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { urlVariable } from '../remote-service/ask.js'
import { startRemoteService, type RemoteRequest, type RemoteService } from '../remote-service/index.js'
import { ledger, mail, nightly, nightlyFor, statements } from './index.js'
import { Observer } from './observer.js'
import { showProgress } from './progress.js'

const usage = `usage: npm run sample:nightly-run -- [--items N]

  --items N    the number of accounts, 1 to 10000 (default: 10000)`

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

/** Refuses each 97th account for good. */
const isLocked = ({ kind, body }: RemoteRequest): boolean =>
  kind === 'statement' && Number(String(body['account']).slice(2)) % 97 === 0

function itemsFrom(words: readonly string[]): number {
  const { values } = parseArgs({ args: [...words], options: { items: { type: 'string', default: '10000' } } })
  const items = Number(values.items)
  if (Number.isInteger(items) && items >= 1 && items <= 10_000) return items
  throw new Error(`--items ${JSON.stringify(values.items)} must be a whole number from 1 to 10000`)
}

/** Triggers the schedule, follows the run to its end, and prints what the run did and cost. */
async function night(host: Host, remote: RemoteService, observer: Observer): Promise<void> {
  const { schedules } = host.client
  tell(`the next statements are due at ${(await schedules.get(nightly.id))?.nextDue ?? 'an unknown time'}`)
  const jobId = await schedules.trigger(nightly.id, { by: 'the sample', why: 'not to wait for the night' })
  tell(`${jobId} begins now`)
  const [startedMs, chargedBefore] = [systemClock.monotonic(), observer.requestUnits]
  const job = await host.client.get(jobId)
  if (job === null) throw new Error(`there is no job ${jobId}`)
  await showProgress(job, process.stdout)
  const seconds = (systemClock.monotonic() - startedMs) / 1_000
  const { done, failed } = (await job.result()) as { readonly done: number; readonly failed: number }
  const charge = observer.requestUnits - chargedBefore
  const items = done + failed
  const made = remote.effects().filter(({ kind }) => kind === 'statement')
  tell(`${done} statements are made and ${failed} failed; the service made ${made.length}`)
  tell(`at most ${observer.mostAtOnce} calls were under way at once; the limit is 20`)
  tell(
    `${seconds.toFixed(1)} s, ${(items / seconds).toFixed(0)} items/s, ${(charge / items).toFixed(1)} RU an item`,
  )
  for (const { jobId: failedId, attention } of await host.client.list({ state: 'Error', limit: 3 }))
    tell(`failed: ${failedId}: ${attention?.message ?? ''}`)
  tell(`mail: ${remote.effects().filter(({ kind }) => kind === 'mail').length} to the team`)
}

async function run(items: number): Promise<void> {
  const remote = await startRemoteService((request) =>
    isLocked(request) ? { refused: 'the account is locked' } : 'done',
  )
  process.env[urlVariable] = remote.url
  const cosmos = createInProcessCosmos()
  const observer = new Observer()
  const host = await startHost({
    embedded: cosmos,
    agents: [ledger, statements, mail],
    schedules: [nightlyFor(items)],
    slots: 64,
    sweepInterval: 1_000,
    telemetry: observer,
  })
  try {
    await night(host, remote, observer)
  } finally {
    await host.stop()
    await cosmos.close()
    await remote.close()
  }
}

try {
  await run(itemsFrom(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
  process.exitCode = 1
}
