import { startHost, type Job } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { urlVariable } from '../remote-service/ask.js'
import { startRemoteService } from '../remote-service/index.js'
import { bookTrip, cars, flights, hotels } from './index.js'
import { availability, trips } from './trips.js'

/** Describes how a trip ended: the state of its job, the number of its starts, and its bookings. */
async function outcomeOf(job: Job) {
  // A trip that cannot be booked has no result. Its job's view shows how the trip ended.
  await job.result().catch(() => null)
  const { state, generation, compensation } = await job.view()
  const booked = remote
    .effects()
    .filter(({ key, isUndone }) => key.startsWith(`${job.jobId}/`) && !isUndone)
    .map(({ kind }) => kind)
  return {
    traveller: job.jobId,
    state,
    generation,
    reason: compensation?.reason ?? null,
    booked: booked.sort(),
  }
}

const remote = await startRemoteService(availability())
process.env[urlVariable] = remote.url
const cosmos = createInProcessCosmos()
const host = await startHost({
  embedded: cosmos,
  agents: [flights, hotels, cars],
  sweepInterval: 5_000,
  deadlineGrace: 100,
})
try {
  const jobs = await Promise.all(trips.map((trip) => host.client.submit(bookTrip, trip)))
  for (const outcome of await Promise.all(jobs.map(outcomeOf))) {
    process.stdout.write(`${JSON.stringify(outcome)}\n`)
  }
} finally {
  await host.stop()
  await cosmos.close()
  await remote.close()
}
