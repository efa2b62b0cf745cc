/**
 * # Testing
 *
 * Exports `stepward/testing`, the tools for users' tests:
 *
 * - `createInProcessCosmos` creates the embedded Cosmos DB in the process of the test.
 * - `VirtualClock` and `seededRandom` give the test control of time and random numbers.
 * - `TelemetryRecorder` collects events.
 * - `simulateWorkflow` runs a user's workflow once for each possible fault of each write.
 * - `simulateJob` runs one job of a user's workflow step by step, as the test says.
 *
 * Start with `stories/simulate-workflow.ts`. The comment at the top of `world.ts` describes the simulation that
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
} from './stories/simulate-workflow.js'
export { simulateJob, type JobSimulationOptions } from './stories/simulate-job.js'
export type { HandlerCall } from './stories/handler-call.js'
export type { SimulatedJob } from './stories/simulated-job.js'
export type { StoryAnswer } from './stories/answers.js'
export type { EndedJob, StoryEvent, StorySetup, WorkflowUnderTest } from './stories/workflow-story.js'
