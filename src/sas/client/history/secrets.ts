import type { JobDocument, StepDocument } from '../../model/documents.js'
import { versionHider, type VersionHider } from '../../plan/hide-documents.js'
import { readSteps } from '../../store/read-steps.js'
import type { StateStore } from '../../store/state-store.js'
import { findBegin, type VersionQueries } from './find-begin.js'
import { readChanges } from './read-changes.js'
import { isFromBegin, type Version } from './versions.js'

/** The ports through which a history is read. */
export interface HistoryPorts {
  readonly store: StateStore
  readonly queries: VersionQueries
}

/** The most changes of a job in which earlier secrets are looked for. */
const mostChanges = 2_000

/**
 * Returns how to hide the secrets of a job in these versions. If steps had other values before, a message may contain a
 * secret that neither these versions nor the present documents contain. Then the history is read for earlier values.
 */
export async function hiderOf(
  { store, queries }: HistoryPorts,
  job: JobDocument,
  versions: readonly (Version | null)[],
): Promise<VersionHider> {
  const steps = await readSteps(store, job)
  const own = documentsIn(versions)
  const jobs = [job, ...own.jobs]
  const known = [...steps, ...own.steps]
  const isMarked = [...jobs, ...known].some(({ secrets }) => secrets !== undefined)
  const hadOthers = known.some(({ generation, round }) => generation > 1 || (round?.number ?? 1) > 1)
  if (!isMarked || !hadOthers) return versionHider(jobs, known, { areAllKnown: true })
  const earlier = await earlierVersions(queries, job)
  const { jobs: earlierJobs, steps: earlierSteps } = documentsIn(earlier.versions)
  return versionHider([...jobs, ...earlierJobs], [...known, ...earlierSteps], earlier)
}

async function earlierVersions(
  queries: VersionQueries,
  job: JobDocument,
): Promise<{ readonly versions: readonly (Version | null)[]; readonly areAllKnown: boolean }> {
  const begin = await findBegin(queries, job)
  if (begin.kind === 'notKept') return { versions: [], areAllKnown: false }
  const versions: (Version | null)[] = []
  let { position } = begin
  let isWhole = !begin.isOldest
  for (let isDrained = false; !isDrained;) {
    if (versions.length >= mostChanges) return { versions, areAllKnown: false }
    const read = await readChanges(queries, { partition: job.pk, jobId: job.jobId, position, limit: 500 })
    if (read.kind !== 'read') return { versions, areAllKnown: false }
    if (versions.length === 0 && isFromBegin(read.changes)) isWhole = true
    versions.push(...read.changes.map(({ after }) => after))
    ;({ position, isDrained } = read)
  }
  return { versions, areAllKnown: isWhole }
}

function documentsIn(versions: readonly (Version | null)[]): {
  readonly jobs: readonly JobDocument[]
  readonly steps: readonly StepDocument[]
} {
  return {
    jobs: versions.flatMap((version): JobDocument[] => (version?.kind === 'job' ? [version.job] : [])),
    steps: versions.flatMap((version): StepDocument[] => (version?.kind === 'step' ? [version.step] : [])),
  }
}
