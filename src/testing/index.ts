/**
 * # Testing
 *
 * What `stepward/testing` offers: the embedded Cosmos DB in this process, a clock and chance that tests decide, and
 * `simulateWorkflow`, which runs a user's workflow with every fault at every write. The world behind it starts in `world.ts`.
 */
export {
  createInProcessCosmos,
  type InProcessCosmos,
  type InProcessCosmosOptions,
} from '../emulator/index.js'
export { seededRandom, VirtualClock } from '../platform/index.js'
export { TelemetryRecorder } from '../telemetry/index.js'
export {
  simulateWorkflow,
  type WorkflowProblem,
  type WorkflowSimulation,
  type WorkflowSimulationOptions,
} from './simulate-workflow.js'
export type { EndedJob, StoryEvent, StorySetup, WorkflowUnderTest } from './workflow-story.js'
