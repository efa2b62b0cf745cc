import { pino } from 'pino'
import type { Level } from './event-row.js'
import { rowOf, type TelemetryEvent } from './events.js'
import type { Telemetry } from './telemetry.js'

/** The options of a {@link consoleLogger}. */
export interface ConsoleLoggerOptions {
  /** The lowest level that is written. Default `info`. */
  readonly level?: Level
  /** Fields that every line contains, such as the name of the instance. Default: no such fields. */
  readonly about?: Readonly<Record<string, string>>
  /** Writes a line. By default, lines go to standard error, so that standard output contains only results. */
  readonly write?: (line: string) => void
}

/**
 * Returns a sink that writes one JSON line for each event. The line contains the event's fields, including
 * its `type`, and a message in `msg`.
 */
export function consoleLogger(options: ConsoleLoggerOptions = {}): Telemetry {
  const write = options.write ?? ((line: string) => void process.stderr.write(line))
  const logger = pino(
    { level: options.level ?? 'info', base: options.about ?? null, timestamp: pino.stdTimeFunctions.isoTime },
    { write },
  )
  return {
    emit: (event) => {
      const { level, text } = rowOf(event.type)
      const severity = typeof level === 'string' ? level : level(event)
      if (logger.isLevelEnabled(severity)) logger[severity](fieldsOf(event), text(event))
    },
  }
}

/**
 * Returns the fields of a line. Fields that a handler logged are nested in `fields`, apart from the event's
 * own fields.
 */
function fieldsOf(event: TelemetryEvent): Record<string, unknown> {
  if (event.type !== 'agent.logged') return readable(event)
  const { level: _level, message: _message, fields, ...about } = event
  return { ...about, fields: readable(fields) }
}

/** Converts errors to objects with their message and stack, because the JSON of an Error is `{}`. */
function readable(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Error ? errorFields(value) : value,
    ]),
  )
}

function errorFields({ message, stack, cause }: Error): Record<string, unknown> {
  return { message, stack, ...(cause instanceof Error ? { cause: cause.message } : {}) }
}
