import type { Clock } from '../../platform/index.js'
import type { SerialByKey } from '../../platform/internal.js'
import type { Gatekeeper } from '../gates/gatekeeper.js'
import { maxGates, type GateChange } from '../gates/gates-at-home.js'
import { homeOf } from '../gates/home.js'
import type { GateRequest } from '../gates/pass.js'
import { Visits } from '../gates/visits.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import type { StateStore } from '../store/state-store.js'
import { begunAs, firstScheduling, type BeginningBy } from '../submission/begun-job.js'
import type { BegunJob, LimitChanges } from '../submission/begun-submission.js'
import { afterGates } from './job-writer.js'

export interface BeginningAtGates extends Omit<BeginningBy, 'now' | 'pauses' | 'passes'> {
  readonly gates: Gatekeeper
  readonly store: StateStore
  readonly clock: Clock
  /** Returns the pauses that are on, or null if the scheduler does not know them at the moment. */
  readonly pauses: () => BeginningBy['pauses']
  /** The work of the scheduler, by partition. */
  readonly partitions: SerialByKey
}

/** The number of times that a job may come to limits: with itself, and then with its first steps. */
const maxVisits = 3

/**
 * Decides the first scheduling (W1) of a job that is not stored yet. If the job comes to limits of its own partition
 * first, and all of them have room, the submission writes them with the job (I25, I40). Otherwise a scheduler begins
 * the job after its submission.
 */
export function beginSubmission(
  job: JobDocument,
  steps: readonly StepDocument[],
  by: BeginningAtGates,
): BegunJob | null | Promise<BegunJob | null> {
  const { scheduler, firstBy } = by
  const at = { now: by.clock.now(), pauses: by.pauses(), scheduler, firstBy }
  const decision = firstScheduling(job, steps, at)
  if (decision?.kind !== 'visit') return begunAs(decision, by)
  return areAtHome(decision.requests) ? beginAtGates(job, steps, by) : null
}

/** Checks whether one transaction can write all gates to which a job comes. */
function areAtHome(requests: readonly GateRequest[]): boolean {
  const keys = new Set(requests.flatMap(({ gates }) => gates.map(({ key }) => key)))
  return keys.size <= maxGates / 2 && [...keys].every((key) => homeOf(key) !== null)
}

async function beginAtGates(
  job: JobDocument,
  steps: readonly StepDocument[],
  by: BeginningAtGates,
): Promise<BegunJob | null> {
  const { partitions, gates, clock } = by
  // Until the job is written, no other work of this scheduler changes the gates, so no write fails for this reason.
  const endTurn = await turnAt(partitions, job.pk)
  const visits = new Visits(gates, by)
  let begun: BegunJob | null = null
  try {
    for (let count = 0; count < maxVisits && begun === null; count += 1) {
      const { passes } = visits
      if ([...passes.values()].some(({ kind }) => kind === 'waits')) break
      // The turn or a read may have taken long, so the pauses are looked at each time.
      const decision = firstScheduling(job, steps, { ...by, now: clock.now(), pauses: by.pauses(), passes })
      if (decision?.kind === 'visit' && areAtHome(decision.requests))
        await visits.make(job, decision.requests)
      else if ((begun = begunAs(decision, by)) === null) break
    }
  } catch {
    // The scheduler will meet the same error, and reports it.
    begun = null
  }
  if (begun !== null) return { ...begun, limits: changesOf(visits.changes(), endTurn) }
  endTurn()
  return null
}

function changesOf(changes: readonly GateChange[], endTurn: () => void): LimitChanges {
  return {
    writes: changes.flatMap(({ writes }) => writes),
    end: (etags) => {
      if (etags === null) for (const change of changes) change.failed()
      else afterGates(etags, changes)
      endTurn()
    },
  }
}

/** Waits until no other work on the key is running. Returns the function that lets the next work begin. */
function turnAt(partitions: SerialByKey, pk: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    partitions.run(pk, () => new Promise<void>((end) => resolve(end))).catch(reject)
  })
}
