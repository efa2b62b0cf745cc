/**
 * # Testing
 *
 * Exports `stepward/testing`, the tools for users' tests:
 *
 * - `createInProcessCosmos` creates the embedded Cosmos DB in the process of the test.
 * - `VirtualClock` and `seededRandom` give the test control of time and random numbers.
 * - `TelemetryRecorder` collects events.
 * - `simulateWorkflow` runs a user's workflow once for each possible fault of each write.
 *
 * Start with `simulate-workflow.ts`. The comment at the top of `world.ts` describes the simulation that
 * `simulateWorkflow` uses.
 */
export {
  createInProcessCosmos,
  type InProcessCosmos,
  type InProcessCosmosOptions,
} from '../emulator/index.js'
export { seededRandom, VirtualClock, type Random } from '../platform/index.js'
export { TelemetryRecorder, type TelemetryEventOf, type TelemetryEventType } from '../telemetry/index.js'
export {
  simulateWorkflow,
  type WorkflowProblem,
  type WorkflowSimulation,
  type WorkflowSimulationOptions,
} from './simulate-workflow.js'
export type { StoryAnswer } from './answers.js'
export type { EndedJob, StoryEvent, StorySetup, WorkflowUnderTest } from './workflow-story.js'
