import type { StateDocument, StateStore, StateWrite, Stored } from '../../src/sas/store/state-store.js'

/** A fault of one write. */
export type WriteFault =
  /** The reply is lost. The caller cannot know whether the writes were applied. */
  | { readonly kind: 'unknownOutcome'; readonly truth: 'applied' | 'lost' }
  /** The store cannot be reached. Nothing is written. */
  | { readonly kind: 'throws'; readonly error: Error }
  /** Another process writes first. */
  | { readonly kind: 'rival'; readonly write: () => Promise<unknown> }

export interface ReadFault {
  readonly kind: 'throws'
  readonly error: Error
}

type Operation = Exclude<keyof StateStore, symbol>

/**
 * A state store between a shell and the real one. It injects faults in the given order, counts every operation,
 * and records the groups of writes that reached the store.
 */
export class FaultyStateStore implements StateStore {
  private readonly writeFaults: WriteFault[] = []
  private readonly readFaults: ReadFault[] = []
  private readonly counts = new Map<Operation, number>()
  /** Every group of writes that was requested, in order. */
  readonly writes: (readonly StateWrite[])[] = []

  constructor(private readonly store: StateStore) {}

  /** Adds faults for the next writes, one for each. */
  failWrites(...faults: readonly WriteFault[]): void {
    this.writeFaults.push(...faults)
  }

  /** Adds faults for the next reads of any kind, one for each. */
  failReads(...faults: readonly ReadFault[]): void {
    this.readFaults.push(...faults)
  }

  count(operation: Operation): number {
    return this.counts.get(operation) ?? 0
  }

  async apply(...request: Parameters<StateStore['apply']>): ReturnType<StateStore['apply']> {
    this.note('apply')
    this.writes.push(request[1])
    const fault = this.writeFaults.shift()
    switch (fault?.kind) {
      case 'throws':
        throw fault.error
      case 'rival':
        await fault.write()
        return this.store.apply(...request)
      case 'unknownOutcome':
        if (fault.truth === 'applied') await this.store.apply(...request)
        return { kind: 'unknownOutcome', cause: new Error('the connection was reset') }
      case undefined:
        return this.store.apply(...request)
    }
  }

  async read(...request: Parameters<StateStore['read']>): Promise<Stored<StateDocument> | null> {
    this.reading('read')
    return this.store.read(...request)
  }

  async listOverdue(
    ...request: Parameters<StateStore['listOverdue']>
  ): ReturnType<StateStore['listOverdue']> {
    this.reading('listOverdue')
    return this.store.listOverdue(...request)
  }

  async listJobs(...request: Parameters<StateStore['listJobs']>): ReturnType<StateStore['listJobs']> {
    this.reading('listJobs')
    return this.store.listJobs(...request)
  }

  async countJobs(): ReturnType<StateStore['countJobs']> {
    this.reading('countJobs')
    return this.store.countJobs()
  }

  async findJob(...request: Parameters<StateStore['findJob']>): ReturnType<StateStore['findJob']> {
    this.reading('findJob')
    return this.store.findJob(...request)
  }

  async listSteps(...request: Parameters<StateStore['listSteps']>): ReturnType<StateStore['listSteps']> {
    this.reading('listSteps')
    return this.store.listSteps(...request)
  }

  async listNotices(
    ...request: Parameters<StateStore['listNotices']>
  ): ReturnType<StateStore['listNotices']> {
    this.reading('listNotices')
    return this.store.listNotices(...request)
  }

  async listUnsent(...request: Parameters<StateStore['listUnsent']>): ReturnType<StateStore['listUnsent']> {
    this.reading('listUnsent')
    return this.store.listUnsent(...request)
  }

  async listFlagged(
    ...request: Parameters<StateStore['listFlagged']>
  ): ReturnType<StateStore['listFlagged']> {
    this.reading('listFlagged')
    return this.store.listFlagged(...request)
  }

  async listUndelivered(
    ...request: Parameters<StateStore['listUndelivered']>
  ): ReturnType<StateStore['listUndelivered']> {
    this.reading('listUndelivered')
    return this.store.listUndelivered(...request)
  }

  async listUnreadable(
    ...request: Parameters<StateStore['listUnreadable']>
  ): ReturnType<StateStore['listUnreadable']> {
    this.reading('listUnreadable')
    return this.store.listUnreadable(...request)
  }

  follow(partition: string): ReturnType<StateStore['follow']> {
    const feed = this.store.follow(partition)
    return {
      readNext: async () => {
        this.reading('follow')
        return feed.readNext()
      },
    }
  }

  private reading(operation: Operation): void {
    this.note(operation)
    const fault = this.readFaults.shift()
    if (fault !== undefined) throw fault.error
  }

  private note(operation: Operation): void {
    this.counts.set(operation, this.count(operation) + 1)
  }
}
