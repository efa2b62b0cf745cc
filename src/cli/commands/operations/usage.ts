import { connectWithPorts } from '../../../connection/internal.js'
import { mostUsageJobs, readUsage, type UsageReport } from '../../../operations/index.js'
import { usualDocumentKilobytes } from '../../../sas/internal.js'
import { withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { wholeNumber } from '../../input/whole-number.js'
import { exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { table, type Terminal } from '../../output/terminal.js'

const hourMs = 3_600_000

export interface UsageOptions extends StoreOptions {
  readonly hours: string
  readonly provisioned?: string
}

/** Prints the request units of the jobs of the last hours, and compares them with the throughput. */
export async function usage(options: UsageOptions, terminal: Terminal): Promise<number> {
  const hours = wholeNumber('--hours', options.hours, { min: 1, max: 24 * 31 })
  const provisioned =
    options.provisioned === undefined
      ? undefined
      : wholeNumber('--provisioned', options.provisioned, { min: 1, max: 1e9 })
  const report = await withExistingStore({ options, terminal }, async (settings) => {
    const measured = { requests: 0, charge: 0 }
    const telemetry: Listener = {
      emit: (event) => {
        if (event.type !== 'store.charged') return
        measured.requests += 1
        measured.charge += event.charge
      },
    }
    const { client, ports, clock, close } = await connectWithPorts({ ...settings, telemetry })
    try {
      const question = { hours, provisioned, documentKilobytes: usualDocumentKilobytes, nowMs: clock.now() }
      return { ...(await readUsage({ client, state: ports.state }, settings, question)), measured }
    } finally {
      await close()
    }
  })
  terminal.print(options.json === true ? JSON.stringify(report) : described(report))
  return exitCodes.ok
}

type Listener = NonNullable<Parameters<typeof connectWithPorts>[0]['telemetry']>

/** What the command itself has used, as the client of the store. */
interface Measured {
  readonly measured: { readonly requests: number; readonly charge: number }
}

function described(report: UsageReport & Measured): string {
  const { since, ended, isCut, workflows, roles, feeds } = report
  const time = `${ended} jobs have ended of those that were submitted since ${since.slice(0, 19)}Z`
  return [
    isCut ? `${time}, when the newest ${mostUsageJobs.toLocaleString('en')} jobs began` : time,
    'all figures are computed, for RU per second if nothing else is said',
    'each job counts as one without faults, with the limits, claims and rounds of the newest job of its workflow;',
    'left out: failed attempts, undos, waits at limits, notices, reads by programs, and documents above 1.1 KB',
    `measured: this command has used ${rounded(report.measured.charge)} RU; a host measures each of its roles (/metrics, page)`,
    '',
    table(
      ['WORKFLOW', 'ENDED', 'AN HOUR', 'STEPS', 'RU A JOB', 'RU/S'],
      workflows.map(({ workflow, ended: count, perHour, steps, jobCharge, charge }) => [
        workflow,
        ...[count, perHour, steps, jobCharge, charge].map(rounded),
      ]),
    ),
    '',
    table(
      ['ROLE', 'WRITES', 'CHANGES', 'AT REST', 'TOGETHER'],
      roles.map(({ role, writes, changes, idle, total }) => [
        role,
        ...[writes, changes, idle, total].map(rounded),
      ]),
    ),
    '',
    table(
      ['FEED OF', 'CHANGES', 'POLLS', 'LEASES'],
      feeds.map(({ role, changes, polls, leases }) => [role, ...[changes, polls, leases].map(rounded)]),
    ),
    '',
    forecastOf(report),
  ].join('\n')
}

function forecastOf({ forecast, since, until }: UsageReport): string {
  const { mean, busiest, idle, throughput, share, jobsPerHour } = forecast
  const overMs = Date.parse(until) - Date.parse(since)
  // In a time below an hour, no hour is the busiest.
  const hour = overMs < hourMs ? '' : `, busiest hour ${rounded(busiest)}`
  const used = `mean ${rounded(mean)} over ${overText(overMs)}${hour}, without work ${rounded(idle)}`
  const { requestUnits, kind, of, reason } = throughput
  if (requestUnits === null || share === null) return `${used}; ${reason}: give --provisioned`
  const where = of === null ? kind : `${kind}, of the ${of}`
  const most = jobsPerHour === null ? '' : `; enough for ${jobsPerHour.toLocaleString('en')} jobs an hour`
  return `${used}: ${rounded(share * 100)} % of ${rounded(requestUnits)} RU/s (${where})${most}`
}

function overText(ms: number): string {
  return ms < hourMs ? durationText(ms) : `${rounded(ms / hourMs)} h`
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100)
}
