/**
 * # Telemetry
 *
 * Defines all events in one typed table, and defines sinks for events. Code only emits events. Only sinks
 * log, count or print. Tests await events instead of sleeping.
 *
 * The table is in `events.ts`. Its rows are beside the types of the events, in `processor-events.ts`,
 * `job-events.ts` and `host-events.ts`. A row has the log level, the log message, the metrics (`metric.ts`)
 * and the line of `docs/telemetry.md`. All sinks and that page use these rows.
 *
 * Sinks: `console-logger.ts` writes JSON lines, `opentelemetry.ts` records metrics and spans, and
 * `recorder.ts` keeps events for tests. `telemetry.ts` has the interface of a sink, and combines several
 * sinks.
 * Start with `telemetry.ts`.
 */
export type { TelemetryEvent, TelemetryEventOf, TelemetryEventType } from './events.js'
export type { Delivery } from './delivery.js'
export { fanOut, type Telemetry } from './telemetry.js'
export { TelemetryRecorder } from './recorder.js'
export { consoleLogger, type ConsoleLoggerOptions } from './console-logger.js'
export { openTelemetry, type OpenTelemetryOptions } from './opentelemetry.js'
