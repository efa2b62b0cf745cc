import process from 'node:process'
import { median } from '../figure.js'
import { processorTimeMs } from '../jobs/processor-time.js'
import type { Order, Peer, PeerFigures, RunningPeer } from './peer.js'

/** The amount of measurement in one round. */
export interface PeersEffort {
  readonly rounds: number
  readonly alone: number
  readonly together: number
  readonly atOnce: number
}

export const fullPeersEffort: PeersEffort = { rounds: 3, alone: 200, together: 2_000, atOnce: 200 }
export const quickPeersEffort: PeersEffort = { rounds: 1, alone: 50, together: 500, atOnce: 200 }

const note = 'n'.repeat(100)
let orderCount = 0

/** Measures one system once, in processes that start and end with the measurement. */
export async function measuredPeer(peer: Peer, effort: PeersEffort): Promise<PeerFigures> {
  const running = await peer.open()
  try {
    // The first jobs are slower, because Node has not compiled the code yet.
    await together(running, effort)
    const took: number[] = []
    while (took.length < effort.alone) took.push(await one(running))
    const before = processorTime(running)
    const startedAt = performance.now()
    await together(running, effort)
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

async function together(running: RunningPeer, { together: count, atOnce }: PeersEffort): Promise<void> {
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
