import type { JobClient, Workflow } from '../../../src/index.js'

/** What a job of the benchmark is told. */
export interface Work {
  readonly value: number
}

let submitted = 0

/** Submits one job and waits for its result; answers how long that took, in milliseconds. */
export async function oneJob(client: JobClient, workflow: Workflow<Work>): Promise<number> {
  submitted += 1
  const jobId = `${workflow.name}-${process.pid}-${submitted}`
  const started = performance.now()
  const job = await client.submit(workflow, { value: submitted }, { jobId })
  await job.result()
  return performance.now() - started
}

/** Jobs one after another: how long each took. */
export async function alone(client: JobClient, workflow: Workflow<Work>, count: number): Promise<number[]> {
  const took: number[] = []
  while (took.length < count) took.push(await oneJob(client, workflow))
  return took
}

/** Jobs, always so many at once: how long all of them took, in milliseconds. */
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
        await oneJob(client, workflow)
      }
    }),
  )
  return performance.now() - started
}
