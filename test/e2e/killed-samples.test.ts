import { join } from 'node:path'
import { connect, type Job } from 'stepward'
import { expect, it, onTestFinished } from 'vitest'
import { provisionSite } from '../../samples/provisioning/index.js'
import { startRemoteService, type Mood, type RemoteService } from '../../samples/remote-service/index.js'
import { bookTrip } from '../../samples/travel/index.js'
import { availability, trips } from '../../samples/travel/trips.js'
import { workerStarter } from './fleet.js'
import { sampleModule, startEmulatorProcess, temporaryDirectory, type EmulatorProcess } from './processes.js'

it('a site is provisioned although workers are killed during their requests (R80, R123)', async () => {
  // The service does the work, and the worker is killed before it gets the answer.
  const { remote, client } = await scene('provisioning', ({ number }) =>
    number === 1 ? 'doneAndSilent' : 'done',
  )
  const job = await client.submit(provisionSite, { site: 'contoso' })
  await job.result()
  const { steps } = await job.view()
  expect(steps.map(({ currentState }) => currentState)).toEqual(['Active', 'Active'])
  expect(remote.effects().map(({ kind }) => kind)).toEqual(['database', 'website'])
})

it('every trip ends as expected although workers and the store are killed', async () => {
  let asked = 0
  const answerTo = availability()
  const { remote, client, restartStore } = await scene('travel', (request) => {
    asked += 1
    // Every third request kills its worker, unless it is a repetition.
    return asked % 3 === 0 && request.number === 1 ? 'doneAndSilent' : answerTo(request)
  })
  const jobs = await Promise.all(trips.map((trip) => client.submit(bookTrip, trip)))
  await restartStore()
  const ends = await Promise.all(jobs.map(endOf))
  expect(ends.map(({ state }) => state)).toEqual(['Processed', 'Processed', 'Compensated'])
  const booked = remote.effects().filter(({ isUndone }) => !isUndone)
  const bookings = booked.map(({ kind, key }) => `${key.split('/')[0] ?? ''} ${kind}`)
  expect(bookings.sort()).toEqual(
    ['ada', 'grace'].flatMap((name) => ['car', 'flight', 'hotel'].map((kind) => `${name} ${kind}`)),
  )
})

/**
 * Starts a store and a worker as processes. When the service does not answer, the worker is killed and
 * replaced.
 */
async function scene(sample: string, mood: Mood) {
  let kill = (): void => undefined
  const remote = await remoteService((request) => {
    const answer = mood(request)
    if (answer === 'doneAndSilent') kill()
    return answer
  })
  const data = join(await temporaryDirectory(), 'data')
  const storeArguments = ['--data', data, '--partitions', '2']
  const store = await startEmulatorProcess(['--port', '0', ...storeArguments])
  const env = { ...store.env, REMOTE_SERVICE_URL: remote.url }
  const startWorker = await workerStarter(env, sampleModule(sample))
  let worker = startWorker()
  await worker.line(' runs scheduler')
  kill = () => {
    worker.signal('SIGKILL')
    worker = startWorker()
  }
  const client = await connect({ endpoint: store.endpoint, key: store.env['COSMOS_KEY'] ?? '' })
  onTestFinished(() => client.close())
  return { remote, client, restartStore: () => restart(store, storeArguments) }
}

async function restart(store: EmulatorProcess, storeArguments: readonly string[]): Promise<void> {
  await store.process.kill('SIGKILL')
  await startEmulatorProcess(['--port', new URL(store.endpoint).port, ...storeArguments])
}

async function remoteService(mood: Mood): Promise<RemoteService> {
  const remote = await startRemoteService(mood)
  onTestFinished(() => remote.close())
  return remote
}

/** Returns the job after its end. Asks again while the store is unavailable. */
async function endOf(job: Job) {
  for (;;) {
    try {
      await job.result()
      return await job.view()
    } catch (error) {
      if (error instanceof Error && error.name === 'StoreUnavailable') continue
      return await job.view()
    }
  }
}
