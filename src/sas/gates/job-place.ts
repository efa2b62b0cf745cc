import type { JobDocument } from '../model/documents.js'
import type { KnownValues } from '../plan/template.js'
import { jobKeyPrefix } from './home.js'
import { gatesOf, type GateRequest, type Pass, type Passes } from './pass.js'

/** The id under which a job itself comes to gates. No step has it. */
export const wholeJob = ''

/** Returns the number that tells the runs of a job apart. A run ends with the job. */
export function entryOfJob({ place }: JobDocument): number {
  return place?.entry ?? 0
}

/** Checks whether a job has come to its gates in this run, and has entered all of them. */
export function isInside({ place }: JobDocument): boolean {
  return place !== undefined && place.gates.length > 0 && place.waitsFor === null
}

/** Checks whether a job waits for room at a gate. */
export function isInQueue({ place }: JobDocument): boolean {
  return place !== undefined && place.waitsFor !== null
}

/** Returns what a job asks of its gates, or the reason for a refusal if a key is not a text. */
export function requestOfJob(job: JobDocument, known: KnownValues): GateRequest | string {
  const { limits = [], place } = job
  const isKnown = place !== undefined && place.gates.length > 0
  const gates = isKnown ? place.gates : gatesOf(limits, { known, pk: job.pk, prefix: jobKeyPrefix })
  if (typeof gates === 'string') return gates
  const { turn = null, waitsFor = null } = place ?? {}
  return { step: null, entry: entryOfJob(job), gates, turn, waitsFor, reservedMs: null, reservedAt: null }
}

/** Returns the answer of the gates to this run of the job. */
export function passOfJob(job: JobDocument, passes: Passes | undefined): Pass | null {
  const pass = passes?.get(wholeJob)
  return pass?.entry === entryOfJob(job) ? pass : null
}

/** Returns a job with its place: inside its gates, or in the queue of one. */
export function placed(job: JobDocument, { entry, gates, turn, waitsFor }: Pass, now: number): JobDocument {
  const since = waitsFor === null ? null : (job.place?.since ?? new Date(now).toISOString())
  return { ...job, place: { entry, gates: [...gates], waitsFor, turn, since, reservedMs: null } }
}

/** Returns the place of a job that has left its gates. It comes to them again as another visitor. */
export function placeOutside(job: JobDocument): Pick<JobDocument, 'place'> {
  if (job.place === undefined || job.place.gates.length === 0) return {}
  const entry = job.place.entry + 1
  return { place: { entry, gates: [], waitsFor: null, turn: null, since: null, reservedMs: null } }
}
