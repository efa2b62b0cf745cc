import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StandingDocuments } from '../../../src/engine-ports/standing-documents.js'
import { scan, type Container, type JsonObject } from '../../../src/emulator/engine/index.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { anEngine } from '../emulator/engine/an-engine.js'

const clock = new VirtualClock()

function aContainer(partitionCount = 1): Container {
  const engine = anEngine({ now: () => clock.now() })
  engine.createDatabase('db')
  const body = { id: 'jobs', partitionKey: { paths: ['/pk'] }, defaultTtl: -1 }
  return engine.createContainer('db', body, partitionCount)
}

function put(container: Container, document: JsonObject): void {
  container.execute([String(document['pk'])], { kind: 'upsert', document })
}

/** The documents that a role may have to find. */
function stands({ type, completeByMs, processState, attention }: Readonly<JsonObject>): boolean {
  return (
    typeof completeByMs === 'number' ||
    (type === 'sas.job' && processState === 'Pending') ||
    (typeof attention === 'object' && attention !== null) ||
    type === 'sas.unreadable'
  )
}

const aDocument = fc.record({
  id: fc.integer({ min: 0, max: 9 }).map((number) => `d${number}`),
  pk: fc.constantFrom('a', 'b', 'c', 'd'),
  type: fc.constantFrom('sas.job', 'sas.step', 'sas.notify', 'sas.unreadable', 'order'),
  completeByMs: fc.option(fc.integer({ min: 0, max: 100 })),
  processState: fc.constantFrom('Pending', 'Processing', 'Processed'),
  attention: fc.option(fc.record({ kind: fc.constant('parked') })),
  note: fc.constantFrom('', '"completeByMs":7', 'completeByMs'),
  ttl: fc.constantFrom(-1, 1),
})

const anAction = fc.oneof(
  { weight: 6, arbitrary: aDocument.map((document) => ({ kind: 'put', document }) as const) },
  fc.record({ kind: fc.constant('remove' as const), document: aDocument }),
  fc.constant({ kind: 'split' } as const),
  fc.constant({ kind: 'wait' } as const),
  { weight: 3, arbitrary: fc.constant({ kind: 'find' } as const) },
)

it('finds what a scan of all documents finds, after any writes, splits and expirations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anAction, { maxLength: 40 }), async (actions) => {
      const container = aContainer()
      for (const action of [...actions, { kind: 'find' } as const]) {
        if (action.kind === 'put') put(container, action.document)
        if (action.kind === 'remove') {
          const { pk, id } = action.document
          if (container.find([pk], id) !== undefined) container.execute([pk], { kind: 'delete', id })
        }
        if (action.kind === 'split') container.splitPartition(container.partitions[0]?.id ?? '')
        if (action.kind === 'wait') await clock.advance(2_000)
        if (action.kind === 'find') {
          const found = await StandingDocuments.find(container, stands)
          const expected = [...scan(container)].filter(({ document }) => stands(document))
          const etags = found.map(({ number }) => container.numbered(number)?.etag)
          expect(etags).toEqual(expected.map(({ etag }) => etag))
        }
      }
    }),
  )
})

it('reads a large container in slices, and misses no write between two of them', async () => {
  const container = aContainer()
  const job = (number: number, processState: string) => {
    return { id: `j${number}`, pk: 'a', type: 'sas.job', processState, completeByMs: null }
  }
  for (let number = 0; number < 12_000; number += 1) put(container, job(number, 'Processed'))
  put(container, job(3, 'Pending'))
  put(container, job(11_000, 'Pending'))
  const finding = StandingDocuments.find(container, stands)
  put(container, job(3, 'Processed'))
  put(container, job(4, 'Pending'))
  put(container, job(11_500, 'Pending'))
  put(container, job(20_000, 'Pending'))
  const found = await finding
  expect(found.map(({ facts }) => facts['id'])).toEqual(['j4', 'j11000', 'j11500', 'j20000'])
})

it('a split between two slices begins again', async () => {
  const container = aContainer()
  for (let number = 0; number < 6_000; number += 1)
    put(container, { id: `s${number}`, pk: `p${number}`, type: 'sas.step', completeByMs: number })
  const finding = StandingDocuments.find(container, ({ completeByMs }) => Number(completeByMs) >= 5_998)
  container.splitPartition(container.partitions[0]?.id ?? '')
  expect((await finding).map(({ facts }) => facts['id'])).toEqual(['s5998', 's5999'])
})
