import { resolve } from 'node:path'
import { rolesNamed } from '../../connection/internal.js'
import { startFleet, stateDirectoryOf, type Fleet, type FleetStore } from '../../fleet/index.js'
import { serveStatus, verdict } from '../../host/internal.js'
import { consoleLogger } from '../../telemetry/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import { exitCodes } from '../output/cli-error.js'
import { instancesText } from '../output/instances-text.js'
import type { StartOptions, StartPlan } from './start-plan.js'
import type { Terminal } from '../output/terminal.js'
import { untilEnd } from './until-ended.js'

type FleetPlan = StartPlan & { readonly instances: number }

/** Keeps processes of each role alive until a signal or a command from another terminal stops the fleet. */
export async function runFleet(plan: FleetPlan, options: StartOptions, terminal: Terminal): Promise<number> {
  const { settings, words, instances, environment, port } = plan
  const level = options.verbose === true ? 'debug' : 'info'
  const [program = '', ...args] = process.argv.slice(1)
  const ending = untilEnd(false)
  const stateDirectory = await stateDirectoryOf(options.state, process.cwd())
  // The port is opened first. If it is not available, there are no processes to stop yet.
  let running: Fleet | null = null
  const server =
    port === null
      ? null
      : await serveStatus(
          port,
          statusOf(() => running),
        )
  const starting = startFleet({
    connection: settings,
    store: storeOf(plan, options),
    counts: Object.fromEntries(groupsOf(words).map((role) => [role, instances])),
    stateDirectory,
    program,
    argsOf: (role) => childArguments(args, ['--role', role]),
    reserveArgs: options.reserve === false ? null : childArguments(args, ['--in-reserve']),
    telemetry: consoleLogger({ level, about: { fleet: String(process.pid) } }),
    stopWithinMs: environment.stopWithinMs,
  })
  const fleet = await orClosing(starting, server)
  running = fleet
  terminal.print(options.json === true ? JSON.stringify(fleet.counts) : startedText(fleet, instances))
  const first = await Promise.race([fleet.ended, ending])
  await fleet.stop()
  await server?.close()
  if (typeof first === 'number') return first
  if (first.error !== undefined) throw new Error(first.why, { cause: first.error })
  return exitCodes.ok
}

/** Returns the store of the fleet, for commands that record decisions about its instances. */
function storeOf({ settings }: FleetPlan, { data }: StartOptions): FleetStore {
  const { database, container, leaseContainer, endpoint } = settings
  const account = data === undefined ? { endpoint } : { data: resolve(data) }
  return withoutUndefined({ ...account, database, container, leaseContainer })
}

/** Returns the roles for which the fleet has groups of processes. A process of `all` runs every role. */
function groupsOf(words: readonly string[]): readonly string[] {
  return words.includes('all') ? ['all'] : (rolesNamed(words) ?? [])
}

/** Returns the arguments for a child, without the options of the fleet. */
export function childArguments(args: readonly string[], own: readonly string[]): readonly string[] {
  const kept: string[] = []
  let isSkipping = false
  for (const word of args) {
    const option = word.split('=')[0] ?? word
    if (word.startsWith('--')) isSkipping = ofTheFleet.has(option)
    if (!isSkipping) kept.push(word)
  }
  return [...kept, ...own, '--supervised']
}

const ofTheFleet = new Set(['--role', '--instances', '--port', '--state', '--json', '--no-reserve'])

async function orClosing<T>(starting: Promise<T>, server: { close(): Promise<void> } | null): Promise<T> {
  try {
    return await starting
  } catch (error) {
    await server?.close()
    throw error
  }
}

function statusOf(fleetNow: () => Fleet | null) {
  return {
    about: () => ({ wanted: fleetNow()?.counts ?? {} }),
    // The fleet is live as long as it answers, because it replaces children that die.
    live: () => verdict(),
    ready: () => verdict(fleetNow()?.problems ?? ['starting']),
    metrics: () => '',
  }
}

function startedText({ counts }: Fleet, asked: number): string {
  const lines = Object.entries(counts).map(([role, count]) => {
    const using = `Using ${instancesText(count, role)}`
    if (count === asked) return `${using}.`
    const change = `to use ${asked}, run "stepward scale ${role} ${asked} --why TEXT"`
    return `${using}, not ${asked}: "stepward scale" set this number when the fleet ran before; ${change}.`
  })
  return [
    ...lines,
    '"stepward fleet" shows the fleet, "stepward scale ROLE N --why TEXT" changes it, Ctrl-C stops it',
  ].join('\n')
}
