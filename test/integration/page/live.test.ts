import { afterEach, beforeEach, expect, it } from 'vitest'
import type { VirtualClock } from '../../../src/platform/index.js'
import { Viewers } from '../../../src/page/live/viewers.js'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { defineWorkflow } from '../../../src/sas/index.js'
import { CosmosJobQueries, CosmosStateStore, JobClient } from '../../../src/sas/internal.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { cosmosWorld, type CosmosWorld } from '../../support/cosmos-world.js'

/** What a browser receives: the kind of each event, and its data. */
interface Told {
  readonly event: string
  readonly data: Record<string, unknown>
}

/** The time during which writes gather before a read. */
const gatherMs = 30

const waiting = defineWorkflow('waiting', (job) => {
  job.waitFor('signal', { completeWithin: '1d' })
})

let world: CosmosWorld
let clock: VirtualClock
let viewers: Viewers
let server: Server
let reads: number
let isAway: boolean
let wake: () => void
let watchers: number

beforeEach(async () => {
  world = await cosmosWorld('engine ports')
  clock = world.clock
  reads = 0
  isAway = false
  watchers = 0
  wake = () => undefined
  viewers = new Viewers({
    clock,
    changeFeed: () => {
      const feed = world.feed()
      return Object.assign(Object.create(feed) as typeof feed, {
        readNext: (...asked: Parameters<typeof feed.readNext>) => {
          reads += 1
          return isAway ? Promise.reject(new Error('the store is away')) : feed.readNext(...asked)
        },
      })
    },
    watch: (onWrite) => {
      watchers += 1
      wake = onWrite
      return () => {
        watchers -= 1
      }
    },
  })
  server = createServer((_request, response) => {
    if (!viewers.add(response, {})) response.writeHead(503).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
})

afterEach(async () => {
  await viewers.close()
  server.closeAllConnections()
  server.close()
})

/** Opens a stream, as a browser does. */
function watch(): { readonly told: readonly Told[]; readonly close: () => void } {
  const told: Told[] = []
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', agent: false }, (response: IncomingMessage) => {
    let unread = ''
    response.setEncoding('utf8').on('data', (part: string) => {
      const messages = `${unread}${part}`.split('\n\n')
      unread = messages.pop() ?? ''
      for (const message of messages) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/u.exec(message) ?? []
        if (event !== undefined) told.push({ event, data: JSON.parse(data ?? '') as Told['data'] })
      }
    })
    response.on('error', () => undefined)
  })
  sent.on('error', () => undefined)
  sent.end()
  return { told, close: () => sent.destroy() }
}

async function submit(jobId: string): Promise<void> {
  const container = world.monitoredContainer
  const store = new CosmosStateStore({ container })
  const queries = new CosmosJobQueries({ container })
  const client = new JobClient({ store, queries, clock, telemetry: new TelemetryRecorder() })
  await client.submit(waiting, {}, { jobId })
  wake()
}

function kinds(told: readonly Told[]): readonly string[] {
  return told.map(({ event }) => event)
}

it('one reader serves all viewers, and reads nothing before the first and after the last', async () => {
  await submit('before')
  await clock.advance(60_000)
  expect(reads).toBe(0)
  const [one, two] = [watch(), watch()]
  await expect.poll(() => [...kinds(one.told), ...kinds(two.told)]).toEqual(['ready', 'ready'])
  expect(watchers).toBe(1)
  const before = reads
  await submit('J-1')
  await clock.advance(gatherMs)
  for (const { told } of [one, two]) {
    await expect.poll(() => kinds(told)).toEqual(['ready', 'changes'])
    expect(told[1]?.data).toMatchObject({ jobs: [{ jobId: 'J-1', state: 'Pending' }], isCut: false })
  }
  expect(reads - before).toBeLessThanOrEqual(2)
  one.close()
  two.close()
  await expect.poll(() => [viewers.count, watchers]).toEqual([0, 0])
  const atEnd = reads
  await clock.advance(60_000)
  await submit('J-2')
  expect(reads).toBe(atEnd)

  const again = watch()
  await expect.poll(() => kinds(again.told)).toEqual(['ready'])
  await submit('J-3')
  await clock.advance(gatherMs)
  await expect.poll(() => kinds(again.told)).toEqual(['ready', 'changes'])
  expect(again.told[1]?.data).toMatchObject({ jobs: [{ jobId: 'J-3' }] })
})

it('writes of one moment are one read and one message', async () => {
  const { told } = watch()
  await expect.poll(() => kinds(told)).toEqual(['ready'])
  const before = reads
  for (const jobId of ['J-1', 'J-2', 'J-3']) await submit(jobId)
  expect(reads).toBe(before)
  await clock.advance(gatherMs)
  await expect.poll(() => kinds(told)).toEqual(['ready', 'changes'])
  expect(told[1]?.data).toMatchObject({ jobs: [{ jobId: 'J-1' }, { jobId: 'J-2' }, { jobId: 'J-3' }] })
})

it('a store that is away is reported, and no change is lost', async () => {
  const { told } = watch()
  await expect.poll(() => kinds(told)).toEqual(['ready'])
  isAway = true
  wake()
  await clock.advance(gatherMs)
  await expect.poll(() => told.at(-1)).toEqual({ event: 'trouble', data: { message: 'the store is away' } })
  await submit('J-1')
  isAway = false
  await clock.advance(2_000)
  await expect.poll(() => kinds(told)).toEqual(['ready', 'trouble', 'changes', 'trouble'])
  expect(told.at(-1)?.data).toEqual({ message: null })
})

it('an idle store without reports of writes is read once a second', async () => {
  const { told } = watch()
  await expect.poll(() => kinds(told)).toEqual(['ready'])
  const before = reads
  for (let second = 0; second < 5; second += 1) await clock.advance(1_000)
  expect(reads - before).toBe(5)
})

it('a browser beyond the limit is refused', async () => {
  const open = Array.from({ length: 50 }, watch)
  await expect.poll(() => viewers.count).toBe(50)
  const { port } = server.address() as AddressInfo
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(503)
  for (const { close } of open) close()
  await expect.poll(() => viewers.count).toBe(0)
})
