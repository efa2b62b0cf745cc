import { pino } from 'pino'
import type { TelemetryEventType } from './events.js'
import type { Telemetry } from './telemetry.js'

type Level = 'debug' | 'info' | 'warn' | 'error'

/** The level of each event; that of a handler is the level it chose. A type missing here does not compile. */
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

/** The options of a {@link consoleLogger}. */
export interface ConsoleLoggerOptions {
  /** The lowest level that is written. Default `info`. */
  readonly level?: Level
  /** Fields of every line, such as the name of the instance. Default: none. */
  readonly about?: Readonly<Record<string, string>>
  /** Writes a line. Default: to standard error, so that standard output stays free for results. */
  readonly write?: (line: string) => void
}

/** Returns a sink that writes one JSON line for each event. */
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
        // The handler's fields are nested, so that they cannot be mistaken for fields of the event.
        logger[level]({ type, ...about, fields: readable(fields) }, message)
        return
      }
      const { type, ...fields } = event
      logger[levels[type]](readable(fields), type)
    },
  }
}

/** Converts errors to their message and stack, since JSON of an Error is `{}`. */
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
