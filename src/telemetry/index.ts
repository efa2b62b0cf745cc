/**
 * # Telemetry
 *
 * Defines all events in one typed table, and sinks for events. Code only emits events. Only sinks log, count
 * or print. Tests await events instead of sleeping.
 *
 * The table is in `events.ts`. The rows are next to the types of the events, in `processor-events.ts`,
 * `job-events.ts` and `host-events.ts`. A row contains the log level, the log message, the metrics
 * (`metric.ts`) and the description in `docs/telemetry.md`.
 *
 * Sinks: `console-logger.ts` writes JSON lines, `opentelemetry.ts` records metrics and spans, and
 * `recorder.ts` keeps events for tests. Start with `telemetry.ts`, which defines the interface of a sink and
 * combines sinks.
 */
export type { TelemetryEvent, TelemetryEventOf, TelemetryEventType } from './events.js'
export type { Delivery } from './delivery.js'
export { fanOut, type Telemetry } from './telemetry.js'
export { TelemetryRecorder } from './recorder.js'
export { consoleLogger, type ConsoleLoggerOptions } from './console-logger.js'
export { openTelemetry, type OpenTelemetryOptions } from './opentelemetry.js'
