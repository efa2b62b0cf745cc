import type { Clock } from '../../../platform/index.js'
import type { DocumentAddress, StateDocument, StateStore, Stored } from '../../store/state-store.js'

/** The most jobs of one request. */
const mostTogether = 100
/** If a request takes longer than this, the next request no longer waits for its answer. */
const slowMs = 1_000

interface Asked {
  readonly address: DocumentAddress
  readonly answer: (document: Promise<Stored<StateDocument> | null>) => void
}

/**
 * Reads the jobs for which a client waits. A read begins at once if no other read is under way. Otherwise it begins with
 * the next request, which reads all jobs that were asked for meanwhile. So thousands of waits take few requests.
 */
export class JobReads {
  private asked: Asked[] = []
  private underWay = 0
  private lastBeganMs = 0

  constructor(
    private readonly store: Pick<StateStore, 'read' | 'readMany'>,
    private readonly clock: Clock,
  ) {}

  read(address: DocumentAddress): Promise<Stored<StateDocument> | null> {
    return new Promise((answer) => {
      this.asked.push({ address, answer })
      const isSlow = this.clock.now() - this.lastBeganMs >= slowMs
      if (this.underWay === 0 || isSlow) this.readAsked()
    })
  }

  /** Reads what is asked for. Each caller gets the error of its own read. */
  private readAsked(): void {
    const { store } = this
    const together = this.asked.splice(0, mostTogether)
    this.lastBeganMs = this.clock.now()
    this.underWay += 1
    const documents = this.readMany(together.map(({ address }) => address))
    const reads = together.map(async ({ address, answer }, index) => {
      const read = documents.then(({ [index]: found }) => (found === undefined ? store.read(address) : found))
      answer(read)
      await read
    })
    const readNext = (): void => {
      this.underWay -= 1
      if (this.asked.length > 0) this.readAsked()
    }
    Promise.allSettled(reads).then(readNext, readNext)
  }

  /** Reads together what can be read together. The other documents are undefined. */
  private readMany(addresses: readonly DocumentAddress[]): ReturnType<StateStore['readMany']> {
    return addresses.length === 1 ? Promise.resolve([]) : this.store.readMany(addresses).catch(() => [])
  }
}
