export * from './connection/index.js'
export * from './host/index.js'
export * from './sas/index.js'
export { systemClock, type Clock, type Timer } from './platform/index.js'
export {
  consoleLogger,
  fanOut,
  openTelemetry,
  type ConsoleLoggerOptions,
  type Delivery,
  type OpenTelemetryOptions,
  type Telemetry,
  type TelemetryEvent,
} from './telemetry/index.js'
