import { audited } from '../model/audit.js'
import { continuingSchema, type JobDocument, type StepDocument } from '../model/documents.js'
import type { PausedWith, PauseEntry } from '../model/operator-documents.js'
import { workOf } from '../model/work.js'

/** The pauses of workflows and agents as a scheduler knows them. */
export interface KnownPauses {
  /** The pauses that are on. */
  readonly entries: readonly Pick<PauseEntry, 'kind' | 'name' | 'by' | 'why'>[]
  /** Whether the pauses were read for this decision. */
  readonly isConfirmed: boolean
}

export type Pausing = KnownPauses['entries'][number]

/** Returns the pause of the workflow of a job, or undefined. */
export function pauseOfWorkflow(
  { workflow }: Pick<JobDocument, 'workflow'>,
  pauses: KnownPauses | undefined,
): Pausing | undefined {
  return pauses?.entries.find(({ kind, name }) => kind === 'workflow' && name === workflow)
}

/** Returns the pause of an agent that would get an attempt at one of these steps (I36), or undefined. */
export function pauseOfAgent(
  attempts: readonly StepDocument[],
  pauses: KnownPauses | undefined,
): Pausing | undefined {
  const agents = pauses?.entries.filter(({ kind }) => kind === 'agent') ?? []
  if (agents.length === 0) return undefined
  const actors = new Set(attempts.map((step) => workOf(step).actor))
  return agents.find(({ name }) => actors.has(name))
}

/** Returns a job that is paused from now on with its workflow or agent. The job keeps who paused it, and why. */
export function pausedWith(job: JobDocument, { kind, name, by, why }: Pausing, now: number): JobDocument {
  const since = new Date(now).toISOString()
  const schema = Math.max(job.schema, continuingSchema)
  const audit = audited(job, { command: 'pause', stepId: null, at: since, by, why })
  return { ...job, schema, audit, operatedAtMs: now, paused: { since, by, why }, pausedWith: { kind, name } }
}

/** Checks whether a job is paused with this workflow or agent. */
export function isPausedWith({ paused, pausedWith: own }: JobDocument, { kind, name }: PausedWith): boolean {
  return Boolean(paused) && own?.kind === kind && own.name === name
}
