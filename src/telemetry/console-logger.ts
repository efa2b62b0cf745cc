import { pino } from 'pino'
import type { TelemetryEventType } from './events.js'
import type { Telemetry } from './telemetry.js'

type Level = 'debug' | 'info' | 'warn' | 'error'

/** How loud each event is; what a handler says, as loud as it says it. A type missing here does not compile. */
const levels: Readonly<Record<Exclude<TelemetryEventType, 'agent.logged'>, Level>> = {
  'lease.acquired': 'info',
  'lease.released': 'info',
  'lease.requested': 'info',
  'lease.renewed': 'debug',
  'checkpoint.stored': 'debug',
  'feed.polled': 'debug',
  'feed.unanswered': 'warn',
  'feed.throttled': 'debug',
  'leases.listed': 'debug',
  'page.delivered': 'debug',
  'delegate.failed': 'error',
  'deadLetter.written': 'error',
  'feed.failed': 'error',
  'lease.split': 'info',
  'lease.recreated': 'warn',
  'lease.superseded': 'warn',
  'notification.failed': 'warn',
  'balance.failed': 'error',
  'unit.unhealthy': 'error',
  'unit.healthy': 'info',
  'lag.estimated': 'debug',
  'job.submitted': 'info',
  'step.dispatched': 'debug',
  'step.started': 'debug',
  'step.extended': 'debug',
  'step.settled': 'info',
  'outcome.discarded': 'warn',
  'step.recovered': 'warn',
  'step.unclaimed': 'warn',
  'deadline.doubted': 'warn',
  'attention.raised': 'error',
  'job.recovered': 'warn',
  'job.operated': 'info',
  'job.finished': 'info',
  'notice.sent': 'debug',
  'notice.failed': 'warn',
  'alert.raised': 'error',
  'alert.failed': 'error',
  'document.refused': 'warn',
  'store.charged': 'debug',
  'store.conflict': 'debug',
  'store.troubled': 'warn',
  'store.recovered': 'info',
  'loop.failed': 'error',
  'host.started': 'info',
  'host.stopping': 'info',
  'host.stopped': 'info',
  'host.failed': 'error',
  'host.advised': 'warn',
  'instance.started': 'info',
  'instance.ended': 'warn',
  'instance.leasesReleased': 'info',
}

/** How a {@link consoleLogger} writes. */
export interface ConsoleLoggerOptions {
  /** The quietest level that is written. Default `info`. */
  readonly level?: Level
  /** Said on every line, such as which instance speaks. Default: nothing. */
  readonly about?: Readonly<Record<string, string>>
  /** Where lines go; default standard error, so that standard output stays free for results. */
  readonly write?: (line: string) => void
}

/** A sink that writes one JSON line for each event. */
export function consoleLogger(options: ConsoleLoggerOptions = {}): Telemetry {
  const write = options.write ?? ((line: string) => void process.stderr.write(line))
  const logger = pino(
    { level: options.level ?? 'info', base: options.about ?? null, timestamp: pino.stdTimeFunctions.isoTime },
    { write },
  )
  return {
    emit: (event) => {
      if (event.type === 'agent.logged') {
        const { type, level, message, fields, ...about } = event
        // By themselves, so that they cannot pass for what we say ourselves.
        logger[level]({ type, ...about, fields: readable(fields) }, message)
        return
      }
      const { type, ...fields } = event
      logger[levels[type]](readable(fields), type)
    },
  }
}

/** An error is written as its message and stack, since JSON of an Error is `{}`. */
function readable(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? errorFields(value) : value,
    ]),
  )
}

function errorFields({ message, stack, cause }: Error): Record<string, unknown> {
  return { message, stack, ...(cause instanceof Error ? { cause: cause.message } : {}) }
}
