import type { ReplyChannel } from '../../src/sas/index.js'
import type { NoticeDocument } from '../../src/sas/documents.js'
import type { Checker, SimulationEvent } from '../../src/simulation/events.js'
import { stateContainer } from '../../src/simulation/job-fleet.js'
import type { Wiring } from '../../src/simulation/network.js'
import type { SimulatedProcess } from '../../src/simulation/simulated-process.js'
import type { World } from '../../src/simulation/world.js'

/** What a job has had to say, and which of it has arrived. */
interface Line {
  readonly notices: Map<number, NoticeDocument>
  /** Their numbers as they came, repetitions as well. */
  readonly received: number[]
}

/**
 * Where submitters are told what became of their jobs; the network to it fails as every other does. Judges I13: all
 * that is stored for a submitter arrives, once at least and in order, and nothing counts as sent that has not arrived.
 */
export class Mailbox implements Checker {
  private readonly lines = new Map<string, Line>()

  constructor(private readonly world: World) {
    world.watch(this)
  }

  /** As one process reaches it. */
  channel(process: SimulatedProcess): ReplyChannel {
    const port: ReplyChannel = {
      send: async (notice) => {
        this.receive(notice)
        return { kind: 'sent' }
      },
    }
    return this.world.network.connect(port, process, wiring)
  }

  /** Whether nothing that is stored waits to be sent. */
  get isQuiet(): boolean {
    return [...this.lines.values()].every(({ notices }) =>
      [...notices.values()].every(({ completeByMs }) => completeByMs === null),
    )
  }

  /** The numbers of what has arrived about a job, as it came. */
  arrivals(jobId: string): readonly number[] {
    return this.line(jobId).received
  }

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    if (!event.after.id.startsWith('sas.notify:')) return []
    const notice = JSON.parse(event.after.text) as NoticeDocument
    const { jobId, seq, sentAt, attention } = notice
    const { notices, received } = this.line(jobId)
    notices.set(seq, notice)
    if (attention !== null) return [`I13: notice ${seq} of job ${jobId} was given up: ${attention.message}`]
    if (sentAt === null || received.includes(seq)) return []
    return [`I13: notice ${seq} of job ${jobId} is marked as sent and has not arrived`]
  }

  private receive({ jobId, orderId, seq }: NoticeDocument): void {
    const { received } = this.line(jobId)
    if (orderId === '') this.world.problems.push(`I13: notice ${seq} of job ${jobId} names no order`)
    const skipped = Array.from({ length: seq - 1 }, (_, index) => index + 1).filter(
      (n) => !received.includes(n),
    )
    if (skipped.length > 0)
      this.world.problems.push(`I13: notice ${seq} of job ${jobId} came before ${skipped.join(', ')}`)
    received.push(seq)
  }

  private line(jobId: string): Line {
    const line = this.lines.get(jobId) ?? { notices: new Map(), received: [] }
    this.lines.set(jobId, line)
    return line
  }
}

/** A message and what is stored about it are two writes: it is told apart as N, what is stored as W11. */
const wiring: Wiring = {
  party: 'notifier',
  writePointOf: () => 'N',
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}
