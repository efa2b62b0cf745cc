import { parseArgs } from 'node:util'
import { startHost, type JobView } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { urlVariable } from '../remote-service/ask.js'
import { startRemoteService, type Effect } from '../remote-service/index.js'
import { cases, services } from './claims.js'
import { Desk } from './desk.js'
import { bank, checks, claimWorkflow, office } from './index.js'

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

const usage = `usage: npm run sample:insurance-claim -- [--day MS]

  --day MS    the length of a day of this run, 10 to 60000 milliseconds (default: 500)`

/** Reads the length of a day. Ends the process with a message if the command line is wrong. */
function dayMs(): number {
  try {
    const { values } = parseArgs({ options: { day: { type: 'string', default: '500' } } })
    const day = Number(values.day)
    if (Number.isInteger(day) && day >= 10 && day <= 60_000) return day
    throw new Error(`--day ${JSON.stringify(values.day)} must be a whole number from 10 to 60000`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    return process.exit(2)
  }
}

const day = dayMs()
const settleClaim = claimWorkflow({ remindAfter: 3 * day, escalateAfter: 7 * day, completeWithin: 14 * day })

const { mood, facts } = services()
const remote = await startRemoteService(mood, facts)
process.env[urlVariable] = remote.url
const cosmos = createInProcessCosmos()
const desk = new Desk(cases, tell)
const host = await startHost({
  embedded: cosmos,
  agents: [checks, bank, office],
  sweepInterval: 5_000,
  deadlineGrace: 100,
  alertSinks: [(alerts) => desk.alert(alerts)],
})
try {
  desk.opens(host.client)
  const ends = await Promise.all(
    cases.map(async ({ claim }) => desk.follow(await host.client.submit(settleClaim, claim))),
  )
  tell('\nThe claims:')
  for (const [index, view] of ends.entries()) tell(accountOf(cases[index]?.claim.customer ?? '', view))
  tell(`\nThe bank has paid ${inForce('pay')} claims and holds ${inForce('reserve')} reservations.`)
} finally {
  await host.stop()
  await cosmos.close()
  await remote.close()
}

/** Returns one line about a claim: how it ended, how that came about, and what was done for it. */
function accountOf(customer: string, { jobId, state, compensation }: JobView): string {
  const effects = remote.effects().filter(({ key }) => key.startsWith(`${jobId}/`))
  const done = effects.filter(({ kind }) => ['table', 'reserve', 'pay', 'close', 'letter'].includes(kind))
  const story = [...desk.notesOf(jobId), ...(compensation === null ? [] : [compensation.reason])]
  return [
    `${jobId} of ${customer}: ${state}`,
    `  ${story.join('; ') || 'no person answers in time'}`,
    `  ${done.map(nameOf).join(', ')}`,
  ].join('\n')
}

function nameOf({ kind, isUndone }: Effect): string {
  return isUndone ? `${kind} (undone)` : kind
}

function inForce(kind: string): number {
  return remote.effects().filter((effect) => effect.kind === kind && !effect.isUndone).length
}
