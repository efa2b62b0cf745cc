export { createInProcessCosmos, type InProcessCosmos, type InProcessCosmosOptions } from './emulator/index.js'
export { seededRandom, VirtualClock } from './platform/index.js'
export { TelemetryRecorder } from './telemetry/index.js'
export {
  simulateWorkflow,
  type WorkflowProblem,
  type WorkflowSimulation,
  type WorkflowSimulationOptions,
} from './simulation/simulate-workflow.js'
export type { EndedJob, StoryEvent, StorySetup, WorkflowUnderTest } from './simulation/workflow-story.js'
