import { onTestFinished } from 'vitest'
import { FeedHints } from '../../src/change-feed-processor/internal.js'
import { VirtualClock } from '../../src/platform/index.js'
import { silent } from '../../src/telemetry/internal.js'
import { hintsOf, signatureHeader } from '../../src/wake-up/message.js'
import type { DoorRequest } from '../../src/wake-up/post.js'
import { wakeAddressText } from '../../src/wake-up/wake-address.js'
import { WakeUpsOfOthers } from '../../src/wake-up/wake-ups.js'
import { aLease } from './a-lease.js'

export const key = 'k-0123456789abcdef'
export const origins = ['http://10.0.0.1:8181', 'http://10.0.0.2:8181', 'http://10.0.0.3:8181'] as const
const far = { own: null, isNeighbour: () => false }

/** A process whose leases are those of `owners`: the origin that reads each range, or null. */
export function aProcess(owners: Readonly<Record<string, string | null>>) {
  const clock = new VirtualClock()
  const hints = new FeedHints()
  const posts: DoorRequest[] = []
  const leasesOf = (found: Readonly<Record<string, string | null>>) =>
    Object.entries(found).map(([leaseToken, origin]) =>
      aLease({ leaseToken, wakeAddress: origin === null ? null : wakeAddressText({ origin, key }) }),
    )
  const world = {
    clock,
    hints,
    posts,
    listings: 0,
    owners,
    answer: async (_request: DoorRequest): Promise<string> => '',
    sent: () =>
      posts.map(({ origin, path, body, headers }) => {
        const signature = headers[signatureHeader] ?? ''
        return [origin, hintsOf({ path, body, signature }, key, clock.now())?.wake]
      }),
  }
  const others = new WakeUpsOfOthers({
    hints,
    clock,
    telemetry: silent,
    processes: far,
    session: 'session',
    list: async () => {
      world.listings += 1
      return { leases: leasesOf(world.owners), storeTimeMs: null }
    },
    post: (request) => {
      posts.push(request)
      return world.answer(request)
    },
  })
  onTestFinished(() => {
    others.close()
  })
  return { ...world, world, others }
}
