import process from 'node:process'
import { median } from '../figure.js'
import { processorTimeMs } from '../jobs/processor-time.js'
import type { Order, Peer, PeerFigures, RunningPeer } from './peer.js'

/** The amount of measurement in one round. */
export interface PeersEffort {
  readonly rounds: number
  /** Jobs before the measurement: at once, and then one after another. */
  readonly warmUp: { readonly together: number; readonly alone: number }
  readonly alone: number
  readonly together: number
  readonly atOnce: number
}

export const fullPeersEffort: PeersEffort = {
  rounds: 3,
  warmUp: { together: 4_000, alone: 400 },
  alone: 400,
  together: 4_000,
  atOnce: 200,
}
export const quickPeersEffort: PeersEffort = {
  rounds: 1,
  warmUp: { together: 500, alone: 0 },
  alone: 50,
  together: 500,
  atOnce: 200,
}

const note = 'n'.repeat(100)
let orderCount = 0

/** Measures one system once, in processes that start and end with the measurement. */
export async function measuredPeer(peer: Peer, effort: PeersEffort): Promise<PeerFigures> {
  const running = await peer.open()
  try {
    // The first jobs of each kind are slower, because Node has not compiled the code yet. Services run for days.
    await together(running, effort.warmUp.together, effort.atOnce)
    await alone(running, effort.warmUp.alone)
    const took = await alone(running, effort.alone)
    const before = processorTime(running)
    const startedAt = performance.now()
    await together(running, effort.together, effort.atOnce)
    const seconds = (performance.now() - startedAt) / 1_000
    return {
      perSecond: effort.together / seconds,
      p50Ms: median(took),
      processorMs: (processorTime(running) - before) / effort.together,
    }
  } finally {
    await running.close()
  }
}

async function alone(running: RunningPeer, count: number): Promise<number[]> {
  const took: number[] = []
  while (took.length < count) took.push(await one(running))
  return took
}

async function together(running: RunningPeer, count: number, atOnce: number): Promise<void> {
  let left = count
  const next = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await one(running)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

/** Runs one order, checks its result, and returns the time that it took. */
async function one({ run }: RunningPeer): Promise<number> {
  orderCount += 1
  const order: Order = { id: `o-${process.pid}-${orderCount}`, note }
  const startedAt = performance.now()
  const id = await run(order)
  if (id !== order.id) throw new Error(`the result of ${order.id} is that of ${id}`)
  return performance.now() - startedAt
}

function processorTime({ processIds }: RunningPeer): number {
  return [process.pid, ...processIds].reduce((sum, id) => sum + (processorTimeMs(id) ?? Number.NaN), 0)
}
