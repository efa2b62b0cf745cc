import type { Clock, VirtualClock } from '../../platform/index.js'
import { callback, kind, optional, readOptions } from '../../platform/options.js'
import type { Agent, ResultOf, Workflow } from '../../sas/index.js'
import { agentOperations, isWorkflow, observed } from '../../sas/internal.js'
import { faultFrom } from '../fault-place.js'
import type { HandlerCall } from './handler-call.js'
import { refuseMissing } from './missing-agents.js'
import { Play } from './play.js'
import { Rest } from './rest.js'
import { SimulatedJob } from './simulated-job.js'
import { Stage } from './stage.js'

/** A workflow, its input, and the agents of its steps. */
export interface JobSimulationOptions<I, O = unknown> {
  readonly workflow: Workflow<I, O>
  readonly input: I
  /** Returns the agents. All code that waits must use this clock, because time is simulated. */
  readonly agents: (clock: Clock) => readonly Agent[]
  /** The faults of writes, such as `['crashBefore@W3#1']`. Default: none. */
  readonly faults?: readonly string[]
}

const shape = {
  workflow: kind<unknown>('a workflow', isWorkflow),
  input: kind('anything', () => true),
  agents: callback<(clock: Clock) => readonly Agent[]>('a function that returns agents'),
  faults: optional(kind<readonly string[]>('a list of faults', Array.isArray), []),
}

/**
 * Submits one job of your workflow in a simulation, and lets it run until it only waits: for an event, for an
 * answer, or for a time. The test then says what happens next, with the methods of the returned
 * {@link SimulatedJob}. The scheduler, the role `agents` and the supervisor are the production code. Time is
 * simulated, so months take milliseconds. The same calls always have the same results.
 *
 * @throws RangeError if an option is invalid, or if an agent or operation of the workflow is missing
 * @throws SubmissionInvalid if the workflow does not accept the input
 */
export async function simulateJob<I, O>(
  options: JobSimulationOptions<I, O>,
): Promise<SimulatedJob<ResultOf<O>>> {
  const { values, problems } = readOptions(shape, options)
  if (problems.length > 0) throw new RangeError(`simulateJob: ${problems.join('; ')}`)
  const { workflow, input } = options
  const stage = new Stage(values.faults.map(faultFrom))
  const { time } = stage.world
  const rest = new Rest(time)
  stage.world.watch(rest)
  const calls: HandlerCall[] = []
  const agents = values.agents(time)
  refuseMissing('simulateJob', workflow, agents)
  const fleet = stage.open(agents.map((agent) => recorded(agent, time, calls)))
  const play = new Play(stage, fleet, rest)
  let submitted = { jobId: 'job', partitionKey: 'job' }
  await play.act('submitter', async (client) => {
    // A workflow that names its jobs has its own id, as in production.
    const id = workflow.submission.jobId === undefined ? { jobId: 'job' } : {}
    const { jobId, partitionKey } = await client.submit(workflow, input, id)
    submitted = { jobId, partitionKey }
  })
  return new SimulatedJob<ResultOf<O>>({ play, calls, workflow, ...submitted })
}

/** Returns the agent with its calls recorded. */
function recorded(agent: Agent, time: VirtualClock, calls: HandlerCall[]): Agent {
  const { name } = agentOperations(agent)
  return observed(agent, (action, input, { stepId: step, attempt }) => {
    calls.push({ step, operation: `${name}.${action}`, attempt, input, at: new Date(time.now()) })
  })
}
