import type { JobClient, SubmitOptions, Workflow } from 'stepward'
import type { Work } from './workload.js'

let submitted = 0

/** Submits one job. Returns a function that waits for its result, in milliseconds since the submission. */
export async function begin(
  client: JobClient,
  workflow: Workflow<Work>,
  options: Pick<SubmitOptions, 'retainFor'> = {},
): Promise<() => Promise<number>> {
  submitted += 1
  const value = submitted
  const started = performance.now()
  const jobId = `${workflow.name}-${process.pid}-${value}`
  const job = await client.submit(workflow, { value }, { ...options, jobId })
  return async () => {
    await job.result()
    return performance.now() - started
  }
}

/** Runs jobs one after another, and returns the duration of each. */
export async function alone(client: JobClient, workflow: Workflow<Work>, count: number): Promise<number[]> {
  const took: number[] = []
  while (took.length < count) {
    const end = await begin(client, workflow)
    took.push(await end())
  }
  return took
}

/** Runs jobs, this many at a time, and returns the total time in milliseconds. */
export async function together(
  client: JobClient,
  workflow: Workflow<Work>,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
): Promise<number> {
  let left = count
  const started = performance.now()
  await Promise.all(
    Array.from({ length: Math.min(atOnce, count) }, async () => {
      while (left > 0) {
        left -= 1
        const end = await begin(client, workflow)
        await end()
      }
    }),
  )
  return performance.now() - started
}
