import { instanceNameOf, rolesNamed } from '../../connection/internal.js'
import { startHost, type Host } from '../../host/index.js'
import { serveStatus, verdict } from '../../host/internal.js'
import { systemClock } from '../../platform/index.js'
import { durationMs, systemRandom, withinLimit } from '../../platform/internal.js'
import { consoleLogger, fanOut, type Telemetry } from '../../telemetry/index.js'
import { exitCodes } from '../output/cli-error.js'
import { collectAtRest } from './collect-at-rest.js'
import type { StartOptions, StartPlan } from './start-plan.js'
import { answerParent } from '../input/parent-channel.js'
import type { Terminal } from '../output/terminal.js'
import { untilEnd, untilReplaced, type ProcessEnd } from './until-ended.js'

/**
 * How long a start waits while the store is unavailable or refuses access. A new role assignment in Azure
 * takes minutes to apply.
 */
const patience = { unavailable: '36500d', forbidden: '10m' }

/**
 * The largest and the smallest share of the stop time that handlers may use, with the release of the leases. The last value
 * is the time for giving attempts back: a second for handlers to end, two for a store that is busy, and a margin.
 */
const [handlersShare, leastHandlersShare, forReturnsMs] = [0.6, 0.2, 3_200]

/** How long a process stops whose store takes nothing more from it. */
const cutOffStopMs = 1_000

/** Runs roles in this process until a signal arrives, the parent process dies, or an error is not handled. */
export async function runHost(plan: StartPlan, options: StartOptions, terminal: Terminal): Promise<number> {
  const { environment, settings, words, agents, schedules, port } = plan
  const { stopWithinMs } = environment
  const instanceName = environment.instanceName ?? instanceNameOf(systemRandom)
  const level = options.verbose === true ? 'debug' : 'info'
  const replaced = untilReplaced()
  const telemetry = fanOut(consoleLogger({ level, about: { instance: instanceName } }), replaced.telemetry)
  const told = new AbortController()
  const ended = Promise.race([untilEnd(options.supervised === true), replaced.end])
  const ending = ended.finally(() => told.abort())
  const showPage = (address: string): void => terminal.print(`the page for operators: ${address}`)
  const starting = startHost({
    ...settings,
    roles: rolesNamed(words) ?? [],
    agents,
    schedules,
    instanceName,
    telemetry,
    signal: told.signal,
    patience,
    timing: {
      ...settings.timing,
      stopTimeout: Math.min(stopWithinMs, durationMs(settings.timing?.stopTimeout ?? stopWithinMs) ?? 0),
    },
    stopBudget: handlersBudgetMs(stopWithinMs),
    ...(port === null ? {} : { port }),
    ...(environment.page === undefined ? {} : { page: { ...environment.page, onOpened: showPage } }),
  })
  const host = await startedOrTold(starting, ending, stopWithinMs)
  if (host === null) return endedAs(await ending, instanceName, telemetry)
  telemetry.emit({ type: 'host.started', instanceName, roles: host.roles })
  terminal.print(startedText(host, options))
  if (host.page !== null && options.json !== true) showPage(host.page.address)
  if (options.supervised === true) answerParent(host)
  const endCollecting = collectAtRest()
  const end = await ending
  endCollecting()
  telemetry.emit({ type: 'host.stopping', instanceName, reason: end.why })
  const code = endedAs(end, instanceName, telemetry)
  const beganMs = systemClock.monotonic()
  await inTime(host.stop(), end.isCutOff === true ? Math.min(stopWithinMs, cutOffStopMs) : stopWithinMs)
  const tookMs = Math.round(systemClock.monotonic() - beganMs)
  telemetry.emit({ type: 'host.stopped', instanceName, durationMs: tookMs })
  return code
}

/** Returns the time in milliseconds that handlers get to end, if the process must end within `stopWithinMs`. */
export function handlersBudgetMs(stopWithinMs: number): number {
  const most = Math.min(stopWithinMs * handlersShare, stopWithinMs - forReturnsMs)
  return Math.round(Math.max(stopWithinMs * leastHandlersShare, most))
}

/** Returns the exit code for the given end of the process. Reports an unhandled error. */
function endedAs({ error }: ProcessEnd, instanceName: string, telemetry: Telemetry): number {
  if (error === undefined) return exitCodes.ok
  telemetry.emit({ type: 'host.failed', instanceName, error })
  return exitCodes.failed
}

/**
 * Runs no role, but answers probes until a signal arrives, so that the platform does not restart the process.
 */
export async function idle({ port }: StartPlan, terminal: Terminal): Promise<number> {
  const server = port === null ? null : await serveIdle(port)
  terminal.print('STEPWARD_ENABLED is false, so nothing runs here')
  await untilEnd(false)
  await server?.close()
  return exitCodes.ok
}

function serveIdle(port: number) {
  return serveStatus(port, {
    about: () => ({ isEnabled: false }),
    live: () => verdict(),
    ready: () => verdict(['STEPWARD_ENABLED is false, so nothing runs here']),
    metrics: () => '',
  })
}

/**
 * Resolves with the host, or with null if this process must stop first. In that case, abandons work that is
 * unfinished after `withinMs`.
 */
async function startedOrTold(
  starting: Promise<Host>,
  ending: Promise<ProcessEnd>,
  withinMs: number,
): Promise<Host | null> {
  const first = await Promise.race([starting, ending])
  if ('client' in first) return first
  // The aborted signal ends a host that is still starting. A host that has just started is stopped here.
  await inTime(
    starting.then((host) => host.stop()).catch(() => undefined),
    withinMs,
  )
  return null
}

function startedText({ instanceName, roles, port }: Host, options: StartOptions): string {
  if (options.json === true) return JSON.stringify({ instanceName, roles, port })
  const status = port === null ? '' : `; health and metrics on port ${port}`
  return `instance ${instanceName} runs ${roles.join(', ')}${status}; Ctrl-C stops it`
}

async function inTime(work: Promise<unknown>, withinMs: number): Promise<void> {
  await withinLimit(systemClock, withinMs, work, () => undefined)
}
