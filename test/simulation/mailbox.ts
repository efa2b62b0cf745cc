import type { ReplyChannel } from '../../src/sas/internal.js'
import type { NoticeDocument } from '../../src/sas/model/documents.js'
import type { Checker, SimulationEvent } from '../../src/testing/events.js'
import { stateContainer } from '../../src/testing/job-fleet.js'
import type { Wiring } from '../../src/testing/network.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'
import type { World } from '../../src/testing/world.js'

/**
 * The receiver of notices about jobs. Its network fails like every other. It checks I13: every notice that is
 * stored for a submitter arrives at least once and in order, and no notice counts as sent before it has
 * arrived.
 */
export class Mailbox implements Checker {
  /** By job, the numbers of its notices as they arrived, including repetitions. */
  private readonly received = new Map<string, number[]>()
  /** Ids of notices that wait to be sent. */
  private readonly waiting = new Set<string>()

  constructor(private readonly world: World) {
    world.watch(this)
  }

  /** Returns the channel of one process to the receiver. */
  channel(process: SimulatedProcess): ReplyChannel {
    const port: ReplyChannel = {
      send: async (notice) => {
        this.receive(notice)
        return { kind: 'sent' }
      },
    }
    return this.world.network.connect(port, process, wiring)
  }

  /** Checks whether no stored notice waits to be sent. */
  get isQuiet(): boolean {
    return this.waiting.size === 0
  }

  /** Returns the numbers of the notices about a job, in order of arrival. */
  arrivals(jobId: string): readonly number[] {
    return this.about(jobId)
  }

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    if (!event.after.id.startsWith('sas.notify:')) return []
    const notice = JSON.parse(event.after.text) as NoticeDocument
    const { id, jobId, seq, sentAt, attention, completeByMs } = notice
    if (completeByMs === null) this.waiting.delete(id)
    else this.waiting.add(id)
    if (attention !== null) return [`I13: notice ${seq} of job ${jobId} was given up: ${attention.message}`]
    if (sentAt === null || this.about(jobId).includes(seq)) return []
    return [`I13: notice ${seq} of job ${jobId} is marked as sent and has not arrived`]
  }

  private receive({ jobId, orderId, seq }: NoticeDocument): void {
    const received = this.about(jobId)
    if (orderId === '') this.world.problems.push(`I13: notice ${seq} of job ${jobId} names no order`)
    const skipped = Array.from({ length: seq - 1 }, (_, index) => index + 1).filter(
      (n) => !received.includes(n),
    )
    if (skipped.length > 0)
      this.world.problems.push(`I13: notice ${seq} of job ${jobId} came before ${skipped.join(', ')}`)
    received.push(seq)
  }

  private about(jobId: string): number[] {
    const received = this.received.get(jobId) ?? []
    this.received.set(jobId, received)
    return received
  }
}

/**
 * A message and the record that it was sent are two writes. The message has write point N, the record W11.
 */
const wiring: Wiring = {
  party: 'notifier',
  writePointOf: () => 'N',
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}
