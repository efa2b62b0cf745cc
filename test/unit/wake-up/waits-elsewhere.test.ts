import { describe, expect, it } from 'vitest'
import { paths } from '../../../src/wake-up/message.js'
import { wakeAddressText } from '../../../src/wake-up/wake-address.js'
import { aProcess, key, origins } from '../../support/waking-process.js'

/** A process that waits for jobs of range 0. Processes that are not in `alive` do not answer. */
function waiting(owner: string | null = origins[0]) {
  const process = aProcess({ '0': owner })
  const alive = new Set<string>(origins)
  process.world.answer = ({ origin, path }) => {
    if (!alive.has(origin)) return Promise.reject(new Error('refused'))
    if (path === paths.hints) return Promise.resolve('')
    return new Promise((_resolve, reject) => {
      dying.push(() => {
        if (!alive.has(origin)) reject(new Error('reset'))
      })
    })
  }
  const dying: (() => void)[] = []
  const wait = (jobId: string, range: string | null = '0'): (() => void) =>
    process.others.subscribe({ pk: 'p', id: `sas.job.${jobId}`, jobId }, range, () => undefined)
  return {
    ...process,
    wait,
    dies: async (origin: string) => {
      alive.delete(origin)
      for (const end of dying) end()
      await process.clock.advance(0)
    },
    revive: (origin: string) => alive.add(origin),
    /** The jobs for whose ends a process was asked. */
    askedOf: (origin: string) =>
      process.posts
        .filter((post) => post.origin === origin && post.path === paths.hints)
        .flatMap(
          ({ body }) => (JSON.parse(body) as { awaited?: { jobs: [string, string][] } }).awaited?.jobs ?? [],
        )
        .map(([, jobId]) => jobId),
    listenedTo: (origin: string) =>
      process.posts.some((post) => post.origin === origin && post.path === paths.ended),
  }
}

describe('the waits of a process whose scheduler dies', () => {
  it('go to the next owner of the lease, within 250 ms', async () => {
    const { world, clock, wait, dies, askedOf, listenedTo } = waiting()
    wait('a')
    wait('b')
    await clock.advance(0)
    expect(askedOf(origins[0])).toEqual(['a', 'b'])
    world.owners = { '0': origins[1] }
    await dies(origins[0])
    await clock.advance(250)
    expect(askedOf(origins[1])).toEqual(['a', 'b'])
    expect(listenedTo(origins[1])).toBe(true)
  })

  it('look for a late owner at growing intervals, and stop when it is found', async () => {
    const { world, clock, wait, dies, askedOf } = waiting()
    wait('a')
    await clock.advance(0)
    world.owners = { '0': null }
    await dies(origins[0])
    const listed = world.listings
    await clock.advance(250 + 500 + 1_000)
    expect(world.listings).toBe(listed + 3)
    world.owners = { '0': origins[2] }
    await clock.advance(2_000)
    expect(askedOf(origins[2])).toEqual(['a'])
    await clock.advance(50_000)
    expect(world.listings).toBe(listed + 4)
  })

  it('list the leases once a minute at most while there is no owner', async () => {
    const { world, clock, wait, dies } = waiting()
    wait('a')
    await clock.advance(0)
    world.owners = { '0': null }
    await dies(origins[0])
    await clock.advance(600_000)
    const listed = world.listings
    for (let minute = 0; minute < 10; minute += 1) {
      wait(`later ${minute}`)
      await clock.advance(60_000)
    }
    // A wait that begins may list them once more, if the last listing is older than 5 s.
    expect(world.listings - listed).toBeLessThanOrEqual(20)
  })

  it('are joined by waits that begin before the next owner is known', async () => {
    const { world, clock, wait, dies, askedOf } = waiting()
    wait('a')
    await clock.advance(0)
    world.owners = { '0': null }
    await dies(origins[0])
    await clock.advance(250)
    wait('b')
    world.owners = { '0': origins[1] }
    await clock.advance(500)
    expect(askedOf(origins[1]).sort()).toEqual(['a', 'b'])
  })

  it('go to the next owner if the process dies before the first wait begins', async () => {
    const { world, hints, clock, wait, dies, askedOf } = waiting()
    await dies(origins[0])
    hints.part('scheduler').notify('0')
    await clock.advance(0)
    world.owners = { '0': origins[1] }
    wait('a')
    await clock.advance(250)
    expect(askedOf(origins[1])).toEqual(['a'])
  })

  it('go to no owner when they have ended meanwhile, and the leases are not listed for them', async () => {
    const { world, clock, wait, dies, askedOf } = waiting()
    const end = wait('a')
    await clock.advance(0)
    world.owners = { '0': null }
    await dies(origins[0])
    await clock.advance(250)
    const listed = world.listings
    end()
    world.owners = { '0': origins[1] }
    await clock.advance(60_000)
    expect(world.listings).toBeLessThanOrEqual(listed + 1)
    expect(askedOf(origins[1])).toEqual([])
  })

  it('need no question when this process becomes the owner', async () => {
    const { world, others, clock, wait, dies, posts } = waiting()
    others.ownAddressIs(wakeAddressText({ origin: origins[2], key }))
    wait('a')
    await clock.advance(0)
    world.owners = { '0': origins[2] }
    await dies(origins[0])
    await clock.advance(250)
    const [listed, sent] = [world.listings, posts.length]
    await clock.advance(50_000)
    expect([world.listings, posts.length]).toEqual([listed, sent])
  })

  it('go to all owners if the range of the job is not known', async () => {
    const { world, clock, wait, dies, askedOf } = waiting()
    world.owners = { '0': origins[0], '1': origins[1] }
    wait('a', null)
    await clock.advance(0)
    expect([askedOf(origins[0]), askedOf(origins[1])]).toEqual([['a'], ['a']])
    world.owners = { '0': null, '1': origins[1] }
    await dies(origins[0])
    await clock.advance(250)
    world.owners = { '0': origins[2], '1': origins[1] }
    await clock.advance(500)
    expect([askedOf(origins[1]), askedOf(origins[2])]).toEqual([['a'], ['a']])
  })

  it('go again to a process that did not answer for a while', async () => {
    const { clock, wait, dies, revive, askedOf } = waiting()
    wait('a')
    await clock.advance(0)
    await dies(origins[0])
    revive(origins[0])
    // The process gets no messages for 30 s.
    await clock.advance(65_000)
    expect(askedOf(origins[0])).toEqual(['a', 'a'])
  })

  it('list the leases once a minute at most while a lease names a dead process', async () => {
    const { world, clock, wait, dies } = waiting()
    wait('a')
    await clock.advance(0)
    await dies(origins[0])
    for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000)
    const listed = world.listings
    for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000)
    expect(world.listings - listed).toBeLessThanOrEqual(11)
  })

  it('are passed on if they begin after the lost ones have ended, before the next owner is known', async () => {
    const { world, clock, wait, dies, askedOf } = waiting()
    const end = wait('a')
    await clock.advance(0)
    await dies(origins[0])
    await clock.advance(100)
    // A poll has found the end of the job.
    end()
    await clock.advance(200)
    wait('b')
    await clock.advance(1_000)
    world.owners = { '0': origins[1] }
    await clock.advance(5_000)
    expect(askedOf(origins[1])).toEqual(['b'])
  })
})
