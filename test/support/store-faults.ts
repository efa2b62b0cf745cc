import type { JobQueries } from '../../src/sas/store/job-queries.js'
import type { StateStore, StateWrite } from '../../src/sas/store/state-store.js'

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

type Forward = (...args: unknown[]) => unknown

/**
 * Faults between shells and the real ports of a state container, in the given order. It counts every
 * operation, and records the groups of writes that were requested.
 */
export class StoreFaults {
  private readonly writeFaults: WriteFault[] = []
  private readonly readFaults: ReadFault[] = []
  private readonly counts = new Map<string, number>()
  /** Every group of writes that was requested, in order. */
  readonly writes: (readonly StateWrite[])[] = []

  /** Adds faults for the next writes, one for each. */
  failWrites(...faults: readonly WriteFault[]): void {
    this.writeFaults.push(...faults)
  }

  /** Adds faults for the next reads of any kind, one for each. */
  failReads(...faults: readonly ReadFault[]): void {
    this.readFaults.push(...faults)
  }

  count(operation: keyof StateStore | keyof JobQueries): number {
    return this.counts.get(operation) ?? 0
  }

  /** Returns a port with these faults. A method that a test replaces stays as it is in `port`. */
  on<P extends object>(port: P): P {
    return new Proxy(Object.create(port) as P, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function' || Object.hasOwn(target, name)) return member
        const forward: Forward = (...args) => Reflect.apply(member, port, args)
        if (name === 'follow') return (partition: string) => this.on(forward(partition) as object)
        return async (...args: unknown[]): Promise<unknown> => {
          this.counts.set(String(name), (this.counts.get(String(name)) ?? 0) + 1)
          return name === 'apply' ? this.write(args, forward) : this.read(args, forward)
        }
      },
    })
  }

  private async write(args: unknown[], forward: Forward): Promise<unknown> {
    this.writes.push(args[1] as readonly StateWrite[])
    const fault = this.writeFaults.shift()
    if (fault?.kind === 'throws') throw fault.error
    if (fault?.kind === 'rival') await fault.write()
    if (fault?.kind !== 'unknownOutcome') return forward(...args)
    if (fault.truth === 'applied') await forward(...args)
    return { kind: 'unknownOutcome', cause: new Error('the connection was reset') }
  }

  private read(args: unknown[], forward: Forward): unknown {
    const fault = this.readFaults.shift()
    if (fault !== undefined) throw fault.error
    return forward(...args)
  }
}
