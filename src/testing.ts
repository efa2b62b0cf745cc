export { createInProcessCosmos, type InProcessCosmos, type InProcessCosmosOptions } from './emulator/index.js'
export { seededRandom, VirtualClock } from './platform/index.js'
export { TelemetryRecorder } from './telemetry/index.js'
