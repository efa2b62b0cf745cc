import {
  ChangeFeedStartFrom,
  type ChangeFeedIteratorOptions,
  type ChangeFeedPullModelIterator,
  type Container,
} from '@azure/cosmos'
import type { Telemetry } from '../../../src/telemetry/index.js'
import { median, type Figure } from '../figure.js'
import { processorTimeMs } from '../jobs/processor-time.js'
import { aProcessor, aShop, aShopApart, fill, type Containers } from './a-shop.js'
import type { ProcessorEffort } from './measured.js'

const pageSize = 100
/** The rounds after which the compiler has optimised both sides. They are not counted. */
const warmUps = 3

/**
 * Compares a processor with the SDK's iterator, over HTTP with the store in a process of its own, and without a
 * socket in this process. Both read the same pages in strict turns, and do the same with them.
 */
export async function againstBareIterator(effort: ProcessorEffort, cli: string): Promise<readonly Figure[]> {
  const apart = await aShopApart(cli, effort.documents)
  const far = await compared(apart, effort).finally(() => apart.close())
  const inProcess = await aShop(1)
  fill(inProcess, effort.documents)
  const near = await compared(inProcess, effort).finally(() => inProcess.cosmos.close())
  return [
    ...figuresOf(far, 'over HTTP', 0.95),
    ...figuresOf(near, 'without a socket', 0.9),
    { name: 'requests per checkpoint', value: near.requestsPerCheckpoint, unit: '', target: { atMost: 1 } },
  ]
}

/** Returns an iterator of the SDK over a whole container. */
export function bareIterator(
  { items }: Container,
  maxItemCount: number,
): ChangeFeedPullModelIterator<{ readonly id: string }> {
  // The SDK declares its start twice, and the two are not alike for the compiler.
  const beginning: unknown = ChangeFeedStartFrom.Beginning()
  const changeFeedStartFrom = beginning as NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>
  return items.getChangeFeedIterator({ changeFeedStartFrom, maxItemCount })
}

/** The times of one reading, by the clock and of the processor, in microseconds a page. */
interface Took {
  readonly wall: number
  readonly processor: number
}

interface Comparison {
  readonly bare: readonly Took[]
  readonly processor: readonly Took[]
  readonly requestsPerCheckpoint: number
}

async function compared(shop: Containers, { documents, rounds }: ProcessorEffort): Promise<Comparison> {
  const bare: Took[] = []
  const processor: Took[] = []
  const leaseRequests = new LeaseRequests()
  for (let round = 0; round < warmUps + rounds; round += 1) {
    bare.push(await readBare(shop, documents))
    processor.push(await readByProcessor(shop, documents, leaseRequests))
  }
  return {
    bare: bare.slice(warmUps),
    processor: processor.slice(warmUps),
    requestsPerCheckpoint: leaseRequests.perCheckpoint,
  }
}

/**
 * Counts and reads the documents of both sides, and measures from the first page to the last. The start of either
 * side is not measured, because a processor first acquires its lease.
 */
class Reader {
  private begun: Took | null = null
  private left: number
  private characters = 0

  constructor(private readonly documents: number) {
    this.left = documents
  }

  get isDone(): boolean {
    return this.left === 0
  }

  take(changes: readonly { readonly id: string }[]): void {
    this.begun ??= now()
    this.left -= changes.length
    for (const { id } of changes) this.characters += id.length
  }

  took(): Took {
    const { wall, processor } = now()
    const pages = Math.max(1, this.documents / pageSize - 1)
    if (this.begun === null || this.characters === 0) throw new Error('nothing was read')
    return { wall: (wall - this.begun.wall) / pages, processor: (processor - this.begun.processor) / pages }
  }
}

function now(): Took {
  return { wall: performance.now() * 1_000, processor: (processorTimeMs(process.pid) ?? 0) * 1_000 }
}

async function readBare({ orders }: Containers, documents: number): Promise<Took> {
  const reader = new Reader(documents)
  const iterator = bareIterator(orders, pageSize)
  while (!reader.isDone) reader.take((await iterator.readNext()).result)
  return reader.took()
}

async function readByProcessor(shop: Containers, documents: number, telemetry: Telemetry): Promise<Took> {
  const reader = new Reader(documents)
  let isDone = (_took: Took): void => undefined
  const done = new Promise<Took>((resolve) => (isDone = resolve))
  const processor = aProcessor(shop, {
    maxItemCount: pageSize,
    checkpointInterval: 500,
    telemetry,
    onChanges: (changes) => {
      reader.take(changes)
      if (reader.isDone) isDone(reader.took())
    },
  })
  await processor.start()
  const took = await done
  await processor.stop()
  return took
}

/** Counts lease requests beside the acquisition and the release. Each checkpoint needs one. */
class LeaseRequests implements Telemetry {
  private requests = 0
  private checkpoints = 0

  get perCheckpoint(): number {
    return this.requests / this.checkpoints
  }

  emit(event: Parameters<Telemetry['emit']>[0]): void {
    if (event.type === 'checkpoint.stored') this.checkpoints += 1
    else if (event.type === 'lease.acquired') this.requests -= 1
    else if (event.type === 'store.charged' && /^lease\.(replace|read)$/.test(event.operation))
      this.requests += 1
  }
}

function figuresOf({ bare, processor }: Comparison, where: string, atLeast: number): Figure[] {
  const ratio = (pick: (took: Took) => number): readonly [number, string] => {
    const pairs = bare.map((took, index) => pick(took) / pick(processor[index] ?? took))
    return [median(bare.map(pick)) / median(processor.map(pick)), range(pairs)]
  }
  const [wall, walls] = ratio((took) => took.wall)
  const [processorTime, processorTimes] = ratio((took) => took.processor)
  const name = `processor ÷ bare SDK iterator, pages of ${pageSize}, ${where}`
  return [
    { name: `${name} (${walls})`, value: wall, unit: '×', target: { atLeast } },
    { name: `… in processor time (${processorTimes})`, value: processorTime, unit: '×' },
    ...[bare, processor].map((times, index) => {
      const side = index === 0 ? 'bare' : 'processor'
      const values = times.map((took) => took.wall)
      return { name: `… a page, ${side} (${range(values)})`, value: median(values), unit: 'µs' }
    }),
  ]
}

function range(values: readonly number[]): string {
  const digits = Math.max(...values) < 10 ? 2 : 0
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`
}
