/**
 * # Telemetry
 *
 * Defines all events in one typed table, and sinks for them. Code emits events; it never logs, counts or
 * prints by itself. Tests await events instead of sleeping.
 *
 * The table is `events.ts`; its rows stand beside the types of the events, in `processor-events.ts`,
 * `job-events.ts` and `host-events.ts`. A row has the log level, the log message, the metrics (`metric.ts`)
 * and the line of `docs/telemetry.md`. All sinks and the page follow from it.
 *
 * Sinks: `console-logger.ts` writes JSON lines, `opentelemetry.ts` records metrics and spans, `recorder.ts`
 * keeps events for tests. `telemetry.ts` has the interface of a sink and combines several. Start there.
 */
export type { TelemetryEvent, TelemetryEventOf, TelemetryEventType } from './events.js'
export type { Delivery } from './delivery.js'
export { fanOut, type Telemetry } from './telemetry.js'
export { TelemetryRecorder } from './recorder.js'
export { consoleLogger, type ConsoleLoggerOptions } from './console-logger.js'
export { openTelemetry, type OpenTelemetryOptions } from './opentelemetry.js'
