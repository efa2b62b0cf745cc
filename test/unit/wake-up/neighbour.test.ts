import { expect, it } from 'vitest'
import { VirtualClock, type Clock } from '../../../src/platform/index.js'
import { paths } from '../../../src/wake-up/message.js'
import { Neighbour, type Wait } from '../../../src/wake-up/neighbour.js'

const waitFor = (jobId: string): Wait => ({ job: ['p', jobId], physicalRangeId: '0' })

it.each(Array.from({ length: 12 }, (_, promises) => ({ promises })))(
  'a wait that begins $promises promises after the last question was over is asked for',
  async ({ promises }) => {
    const virtual = new VirtualClock()
    const [first, second] = [waitFor('a'), waitFor('b')]
    const questions: ((answer: string) => void)[] = []
    let isOver = false
    const begin = async (): Promise<void> => {
      for (let turn = 0; turn < promises; turn += 1) await Promise.resolve()
      neighbour.awaitEnd(second)
    }
    const clock: Clock = {
      now: () => virtual.now(),
      monotonic: () => virtual.monotonic(),
      schedule: (ms, action) => virtual.schedule(ms, action),
      // The rest after the last question is over at once.
      sleep: (ms, signal) => {
        if (!isOver) return virtual.sleep(ms, signal)
        isOver = false
        begin().then(undefined, () => undefined)
        return Promise.resolve()
      },
    }
    const neighbour = new Neighbour(
      {
        address: { origin: 'http://10.0.0.1:8181', key: 'k-0123456789abcdef' },
        session: 'session',
        clock,
        post: ({ path }) =>
          new Promise((resolve) => {
            if (path === paths.ended) questions.push(resolve)
          }),
        onUnread: () => undefined,
        onEnded: () => {
          neighbour.waits.delete(first)
          isOver = true
        },
        onFailure: (_address, error) => expect.unreachable(String(error)),
      },
      new AbortController().signal,
    )
    neighbour.awaitEnd(first)
    await virtual.advance(1)
    questions[0]?.(JSON.stringify({ ended: [['p', 'a']] }))
    await virtual.advance(1_000)
    expect(questions).toHaveLength(2)
  },
)
