import { describe, expect, it } from 'vitest'
import type { ChangeFeed } from '../../src/change-feed-processor/index.js'
import { CosmosChangeFeed } from '../../src/change-feed-processor/internal.js'
import type { JsonObject } from '../../src/emulator/engine/index.js'
import { keepVersions } from '../../src/connection/keep-versions.js'
import { openConnection, openContainers, openPorts } from '../../src/connection/internal.js'
import { enginePorts } from '../../src/engine-ports/index.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../src/emulator/index.js'
import { seededRandom, VirtualClock } from '../../src/platform/index.js'
import { CosmosJobQueries, CosmosStateStore } from '../../src/sas/internal.js'
import { submittedAtMs } from '../support/a-job.js'
import { rowsPerPage, type StateStore } from '../../src/sas/store/state-store.js'
import { jobQueriesSuite } from './job-queries.suite.js'
import { portsThrough, servedDoor } from '../support/local-door.js'
import type { OpenedState } from './opened-state.js'
import { stateStoreSuite } from './state-store.suite.js'

const database = 'stepward'
const container = 'state'

/** An account with an empty state container of three physical partitions. */
async function account() {
  const clock = new VirtualClock(submittedAtMs)
  const cosmos = createInProcessCosmos({ partitionCount: 3, clock, random: seededRandom(1) })
  cosmos.engine.createDatabase(database)
  const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
  cosmos.engine.createContainer(database, { id: container, partitionKey, defaultTtl: -1 })
  return { cosmos, clock }
}

/** Writes a document without the store under test. */
function putting(cosmos: InProcessCosmos): Pick<OpenedState, 'put' | 'keepVersions'> {
  const { engine } = cosmos
  return {
    keepVersions: () => keepVersions(cosmos.client().database(database).container(container), 3_600_000),
    put: (document) => {
      const create = { kind: 'create' as const, document: document as JsonObject }
      engine.container(database, container).execute([document.pk], create)
    },
  }
}

/** Finds the physical partitions of documents by a feed. */
function lookingAt(feed: ChangeFeed): Pick<OpenedState, 'physicalRanges' | 'rangeIdOf'> {
  const options = { maxItemCount: 1_000, signal: new AbortController().signal }
  const physicalRanges = () => feed.physicalRanges()
  return {
    physicalRanges,
    rangeIdOf: async (id) => {
      for (const range of await physicalRanges()) {
        const page = await feed.readNext({ feedRange: range, start: { kind: 'beginning' } }, options)
        if (page.changes.some((change) => change.id === id)) return range.id
      }
      return null
    },
  }
}

async function onTheEngine(): Promise<OpenedState> {
  const { cosmos, clock } = await account()
  const ports = enginePorts(cosmos.engine, database)
  return {
    store: ports.stateStore(container),
    queries: ports.jobQueries(container),
    clock,
    ...putting(cosmos),
    ...lookingAt(ports.changeFeed(container)),
  }
}

async function onTheSdk(): Promise<OpenedState> {
  const { cosmos, clock } = await account()
  const sdk = cosmos.client().database(database).container(container)
  return {
    store: new CosmosStateStore({ container: sdk }),
    queries: new CosmosJobQueries({ container: sdk }),
    clock,
    ...putting(cosmos),
    ...lookingAt(new CosmosChangeFeed({ container: sdk })),
  }
}

async function onAnEmbeddedAccount(): Promise<OpenedState> {
  const { cosmos, clock } = await account()
  const connection = await openConnection({ embedded: cosmos, database, container })
  const leases = { id: 'leases', partitionKey: { paths: ['/id'] } }
  await connection.client.database(database).containers.createIfNotExists(leases)
  const ports = await openPorts(connection, await openContainers(connection), {
    onCharge: () => undefined,
    clock,
  })
  return {
    store: ports.state,
    queries: ports.queries,
    clock,
    ...putting(cosmos),
    ...lookingAt(ports.changeFeed()),
  }
}

async function throughTheLocalDoor(): Promise<OpenedState> {
  const { cosmos, clock } = await account()
  const ports = await portsThrough(await servedDoor(cosmos))
  return {
    store: ports.state,
    queries: enginePorts(cosmos.engine, database).jobQueries(container),
    clock,
    ...putting(cosmos),
    ...lookingAt(ports.changeFeed()),
  }
}

for (const suite of [stateStoreSuite, jobQueriesSuite]) {
  suite('on the engine', onTheEngine)
  suite('on an embedded account', onAnEmbeddedAccount)
  suite('on the SDK', onTheSdk)
}
stateStoreSuite('through the local door', throughTheLocalDoor)

describe('the state store on the SDK', () => {
  it('reports the charge of every request', async () => {
    const { cosmos } = await account()
    const charges: [string, number][] = []
    const state = {
      container: cosmos.client().database(database).container(container),
      onCharge: (operation: string, charge: number) => void charges.push([operation, charge]),
    }
    const [store, queries] = [new CosmosStateStore(state), new CosmosJobQueries(state)]
    const document = { id: 'a', pk: 'p' }
    await store.apply('p', [{ kind: 'create', document }])
    await store.apply('p', [
      { kind: 'create', document: { id: 'b', pk: 'p' } },
      { kind: 'create', document: { id: 'c', pk: 'p' } },
    ])
    await store.read({ pk: 'p', id: 'a' })
    await store.listOverdue({ afterMs: 0, beforeMs: 1, pickUpWithinMs: 0 }, 1)
    await queries.listJobs({})
    await queries.findJob('j')
    await store.listSteps('p', 'j')
    await store.listNotices('p', 'j')
    await store.listUnsent({ afterMs: 0, beforeMs: 1 }, 1)
    await store.listFlagged(null, 1)
    await store.listUnreadable(1)
    expect(charges.map(([operation]) => operation)).toEqual([
      'state.create',
      'state.batch',
      'state.read',
      'state.listOverdue',
      'state.listOverdue',
      'state.listJobs',
      'state.findJob',
      'state.listSteps',
      'state.listNotices',
      'state.listUnsent',
      'state.listFlagged',
      'state.listUnreadable',
    ])
    for (const [, charge] of charges) expect(charge).toBeGreaterThan(0)
  })
})

describe('the state store on the SDK with one physical partition', () => {
  async function counted() {
    const cosmos = createInProcessCosmos({ partitionCount: 1, random: seededRandom(1) })
    cosmos.engine.createDatabase(database)
    const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
    cosmos.engine.createContainer(database, { id: container, partitionKey, defaultTtl: -1 })
    let count = 0
    let [underWay, mostAtOnce] = [0, 0]
    const plugin = async (
      context: unknown,
      _diagnostics: unknown,
      next: (on: unknown) => Promise<unknown>,
    ) => {
      count += 1
      underWay += 1
      mostAtOnce = Math.max(mostAtOnce, underWay)
      const answer = await next(context)
      underWay -= 1
      return answer
    }
    const client = cosmos.client({ plugins: [{ on: 'request', plugin }] } as object)
    const requests = (): number => count
    const store = new CosmosStateStore({ container: client.database(database).container(container) })
    const fromNow = (): void => {
      mostAtOnce = 0
    }
    return { store, requests, fromNow, mostAtOnce: () => mostAtOnce, ...putting(cosmos) }
  }

  it('asks for all rows of a sweep at once', async () => {
    const { store, requests, put } = await counted()
    for (let step = 0; step < 250; step += 1)
      put({ id: `step ${step}`, pk: 'p', type: 'sas.step', schema: 1, completeByMs: 1 + step })
    const due = { afterMs: 0, beforeMs: 1_000, pickUpWithinMs: 0 }
    await store.listOverdue(due, 1_000)
    const before = requests()
    expect(await store.listOverdue(due, 1_000)).toHaveLength(250)
    // Two queries: due documents, and jobs that no scheduler has taken. Each first asks for the ranges and for a plan.
    expect(requests() - before).toBeLessThanOrEqual(8)
  })

  it.each([
    { bytes: 10, atMost: 6 },
    { bytes: 5_000, atMost: 12 },
  ])(
    'replaces 150 single documents of $bytes bytes with few requests, one after another',
    async ({ bytes, atMost }) => {
      const { store, requests, fromNow, mostAtOnce } = await counted()
      const text = 'b'.repeat(bytes)
      const ids = Array.from({ length: 150 }, (_, index) => `n${index}`)
      const etags = await Promise.all(
        ids.map(async (id) => {
          const result = await store.apply(id, [{ kind: 'create', document: { id, pk: id } }])
          return result.kind === 'applied' ? (result.etags[0] ?? '') : ''
        }),
      )
      const before = requests()
      fromNow()
      const results = await Promise.all(
        ids.map((id, index) =>
          store.apply(id, [{ kind: 'replace', document: { id, pk: id, text }, ifMatch: etags[index] ?? '' }]),
        ),
      )
      expect(results.map(({ kind }) => kind)).toEqual(ids.map(() => 'applied'))
      expect(requests() - before).toBeLessThanOrEqual(atMost)
      // The SDK sends the parts of a request that is too large at the same time.
      expect(mostAtOnce()).toBe(1)
    },
  )
})

describe('the state store on the engine', () => {
  it('charges the lists of a partition as the SDK does', async () => {
    const { cosmos } = await account()
    const opened: { readonly charges: [string, number][]; readonly store: StateStore }[] = []
    const charged = (storeOf: (onCharge: (operation: string, charge: number) => void) => StateStore) => {
      const charges: [string, number][] = []
      opened.push({ charges, store: storeOf((...charge) => void charges.push(charge)) })
    }
    const sdk = cosmos.client().database(database).container(container)
    charged((onCharge) => new CosmosStateStore({ container: sdk, onCharge }))
    charged((onCharge) => enginePorts(cosmos.engine, database, { onCharge }).stateStore(container))
    const { put } = putting(cosmos)
    const fullPage = rowsPerPage
    for (let step = 0; step < fullPage; step += 1)
      put({ id: `step ${step}`, pk: 'full', jobId: 'full', type: 'sas.step', text: 'x'.repeat(step % 100) })
    put({ id: 'step', pk: 'p', jobId: 'j', type: 'sas.step', text: 'é'.repeat(3_000) })
    put({ id: 'notice', pk: 'p', jobId: 'j', type: 'sas.notify', completeByMs: 1 })
    for (const { store } of opened) {
      for (const job of ['none', 'j', 'full']) await store.listSteps(job === 'j' ? 'p' : job, job)
      await store.listNotices('p', 'j')
    }
    const [bySdk, byEngine] = opened.map(({ charges }) => charges)
    expect(byEngine).toEqual(bySdk)
    expect(byEngine?.map(([operation]) => operation)).toEqual([
      'state.listSteps',
      'state.listSteps',
      'state.listSteps',
      'state.listNotices',
    ])
  })
})
