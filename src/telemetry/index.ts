/**
 * # Telemetry
 *
 * Defines one typed list of all events (`events.ts`), and sinks for them. Code emits events; it never logs, counts
 * or prints by itself. Tests await events instead of sleeping.
 *
 * Sinks: `console-logger.ts` writes JSON lines, `opentelemetry.ts` records metrics and spans, `recorder.ts` keeps
 * events for tests. `telemetry.ts` has the interface of a sink and combines several. Start there.
 */
export type { TelemetryEvent, TelemetryEventOf, TelemetryEventType } from './events.js'
export { fanOut, type Delivery, type Telemetry } from './telemetry.js'
export { TelemetryRecorder } from './recorder.js'
export { consoleLogger, type ConsoleLoggerOptions } from './console-logger.js'
export { openTelemetry, type OpenTelemetryOptions } from './opentelemetry.js'
