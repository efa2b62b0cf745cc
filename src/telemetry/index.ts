/**
 * # Telemetry
 *
 * One typed list of everything that happens (`events.ts`), and sinks for it. Code emits; it never logs, counts or
 * prints by itself. Tests await events instead of sleeping.
 */
export type { TelemetryEvent, TelemetryEventOf, TelemetryEventType } from './events.js'
export { fanOut, silent, type Delivery, type Telemetry } from './telemetry.js'
export { TelemetryRecorder } from './recorder.js'
export { consoleLogger, type ConsoleLoggerOptions } from './console-logger.js'
export { openTelemetry, type OpenTelemetryOptions } from './opentelemetry.js'
