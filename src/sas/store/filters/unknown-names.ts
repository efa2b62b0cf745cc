import type { JobFilter } from './job-filter.js'

/** A name in a filter that jobs do not have, so that it may be misspelt. */
export interface UnknownName {
  readonly what: 'workflow' | 'step'
  readonly name: string
  /** The workflow among whose jobs the step was looked for. Null if it was looked for among all jobs. */
  readonly workflow: string | null
  /** The number of the newest jobs that were read. */
  readonly jobs: number
  /** The names that these jobs have. */
  readonly known: readonly string[]
}

/** Lists the newest jobs that match a filter. */
interface Listing {
  listJobs(
    filter: JobFilter,
  ): Promise<readonly { readonly workflow: string; readonly stepIds: readonly string[] }[]>
}

/** The number of jobs that show which names there are. It is fixed, so that the charge does not grow with the store. */
const sampleSize = 20

/** Returns the names of a filter that jobs do not have. Steps are looked for in the newest jobs only. */
export async function unknownNames(
  queries: Listing,
  { workflow, step }: Pick<JobFilter, 'workflow' | 'step'>,
): Promise<readonly UnknownName[]> {
  if (workflow === undefined && step === undefined) return []
  const newest = await queries.listJobs({
    ...(workflow === undefined ? {} : { workflow }),
    limit: step === undefined ? 1 : sampleSize,
  })
  if (workflow !== undefined && newest.length === 0) {
    const others = await queries.listJobs({ limit: sampleSize })
    const known = distinct(others.map((job) => job.workflow))
    return [{ what: 'workflow', name: workflow, workflow: null, jobs: others.length, known }]
  }
  const steps = distinct(newest.flatMap(({ stepIds }) => stepIds))
  if (step === undefined || newest.length === 0 || steps.includes(step)) return []
  return [{ what: 'step', name: step, workflow: workflow ?? null, jobs: newest.length, known: steps }]
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
