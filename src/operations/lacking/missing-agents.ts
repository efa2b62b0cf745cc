import type { Inspection } from '../../change-feed-processor/internal.js'
import { ownerless, processorNameOf } from '../../connection/internal.js'
import { CosmosJobQueries, isTaken, itemsOperation, workOf, type StepDocument } from '../../sas/internal.js'
import { expirationOf, type Looked, type UnitSelection } from '../unit-selection.js'

/** A step of a workflow whose agent is in no running instance, and the jobs that wait for it. */
export interface MissingAgent {
  readonly agent: string
  readonly workflow: string
  readonly stepId: string
  readonly jobIds: readonly string[]
  /** The time since when the job that has waited longest waits, in ISO-8601 UTC. */
  readonly since: string
}

/** Which steps are meant. */
export interface MissingAgentsQuestion {
  readonly workflow?: string | undefined
  readonly step?: string | undefined
  readonly now: number
}

/** The most steps that are read. */
const mostSteps = 1_000

/** A shorter wait is usual while instances start, and an agent in another language answers in the meantime. */
const shortestWaitMs = 30_000

/**
 * Returns the names of the agents in the running instances, or null if an instance does not say which it has.
 * `isRunning` is false if no instance runs agents.
 */
export function agentsIn(
  { units, storeTimeMs }: Pick<Inspection, 'units' | 'storeTimeMs'>,
  expirationMs: number,
): { readonly isRunning: boolean; readonly names: ReadonlySet<string> | null } {
  const owned = units
    .filter(({ processorName }) => processorName?.endsWith(processorNameOf('agents', '')) === true)
    .flatMap(({ leases }) => {
      const silent = ownerless(leases, { storeTimeMs, expirationMs })
      return leases.filter(({ owner, leaseToken }) => owner !== null && !silent.has(leaseToken))
    })
  const isTold = owned.every(({ serves }) => serves !== null)
  const names = isTold ? new Set(owned.flatMap(({ serves }) => serves ?? [])) : null
  return { isRunning: owned.length > 0, names }
}

/** Returns the steps at work whose agent is in no running instance. Without instances, the role itself is missing. */
export async function missingAgentsIn(
  { inspection, containers }: Looked,
  selection: UnitSelection,
  { workflow, step: stepId, now }: MissingAgentsQuestion,
): Promise<readonly MissingAgent[]> {
  const { isRunning, names } = agentsIn(inspection, expirationOf(selection))
  if (!isRunning || names === null) return []
  const queries = new CosmosJobQueries({ container: containers.monitoredContainer })
  const found = await queries.listUnserved([...names, itemsOperation.actor], mostSteps)
  const waiting = found.filter((step) => {
    const isWanted = (workflow ?? step.workflow) === step.workflow && (stepId ?? step.stepId) === step.stepId
    // A flagged step is listed with the other problems.
    const isServed = names.has(workOf(step).actor) || isTaken(step)
    return isWanted && step.attention === null && !isServed && hasWaited(step, now)
  })
  return grouped(waiting)
}

/** Checks whether a step got no answer to an earlier attempt, or waits for longer than is usual. */
function hasWaited(step: StepDocument, now: number): boolean {
  return workOf(step).failureCount > 0 || offeredAtMs(step) + shortestWaitMs <= now
}

/** Returns the time when the present attempt was offered to agents. */
function offeredAtMs({ completeByMs, completeWithinMs }: StepDocument): number {
  return (completeByMs ?? 0) - completeWithinMs
}

function grouped(steps: readonly StepDocument[]): readonly MissingAgent[] {
  const groups = new Map<string, StepDocument[]>()
  for (const step of steps) {
    const key = JSON.stringify([workOf(step).actor, step.workflow, step.stepId])
    groups.set(key, [...(groups.get(key) ?? []), step])
  }
  return [...groups.values()].flatMap((members) => {
    const [first] = members
    if (first === undefined) return []
    const { workflow, stepId } = first
    const { actor: agent } = workOf(first)
    const since = new Date(Math.min(...members.map(offeredAtMs))).toISOString()
    return [{ agent, workflow, stepId, jobIds: members.map(({ jobId }) => jobId), since }]
  })
}
