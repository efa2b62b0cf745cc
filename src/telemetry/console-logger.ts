import { pino } from 'pino'
import type { Level } from './event-row.js'
import { rowOf, type TelemetryEvent } from './events.js'
import type { Telemetry } from './telemetry.js'

/** The options of a {@link consoleLogger}. */
export interface ConsoleLoggerOptions {
  /** The lowest level that is written. Default `info`. */
  readonly level?: Level
  /** Fields of every line, such as the name of the instance. Default: none. */
  readonly about?: Readonly<Record<string, string>>
  /** Writes a line. Default: to standard error, so that standard output stays free for results. */
  readonly write?: (line: string) => void
}

/**
 * Returns a sink that writes one JSON line for each event: its fields, with the name in `type`, and a message
 * in `msg`.
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
      logger[typeof level === 'string' ? level : level(event)](fieldsOf(event), text(event))
    },
  }
}

/**
 * Returns the fields of a line. Those of a handler are nested, so that they cannot pass for fields of the
 * event.
 */
function fieldsOf(event: TelemetryEvent): Record<string, unknown> {
  if (event.type !== 'agent.logged') return readable(event)
  const { level: _level, message: _message, fields, ...about } = event
  return { ...about, fields: readable(fields) }
}

/** Converts errors to their message and stack, since JSON of an Error is `{}`. */
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
