import { onTestFinished } from 'vitest'
import type { NewLease } from '../../lease-store/index.js'
import type { CloseReason } from '../../src/change-feed-processor/delivery/close-reason.js'
import { LeaseHolder } from '../../src/change-feed-processor/lease-holding/lease-holder.js'
import { PartitionSupervisor } from '../../src/change-feed-processor/reading/partition-supervisor.js'
import { anAcquiredLease, aRuntime, type RuntimeOverrides, type TestRuntime } from './a-runtime.js'

/** One supervisor that reads one lease of the whole feed. */
export interface Supervised {
  readonly runtime: TestRuntime
  readonly holder: LeaseHolder
  readonly supervisor: PartitionSupervisor
  /** Returns null while the supervisor runs. */
  readonly closing: () => CloseReason | null
}

/**
 * Starts reading a feed that already has these documents, each with its id as its partition key. The
 * supervisor is shut down after the test.
 */
export async function supervising(
  { lease, ...overrides }: RuntimeOverrides & { readonly lease?: Partial<NewLease> },
  documents: readonly string[] = [],
): Promise<Supervised> {
  const runtime = await aRuntime(overrides)
  for (const id of documents) await runtime.world.put(id)
  const holder = new LeaseHolder(runtime, await anAcquiredLease(runtime, lease), runtime.clock.monotonic())
  holder.start()
  const supervisor = new PartitionSupervisor(runtime, holder)
  let closing: CloseReason | null = null
  supervisor.run().then(
    (ended) => (closing = ended),
    () => undefined,
  )
  onTestFinished(() => {
    supervisor.shutDown()
  })
  return { runtime, holder, supervisor, closing: () => closing }
}
