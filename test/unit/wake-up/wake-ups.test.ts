import { expect, it, onTestFinished } from 'vitest'
import { paths } from '../../../src/wake-up/message.js'
import { wakeAddressText } from '../../../src/wake-up/wake-address.js'
import { aProcess, key, origins } from '../../support/waking-process.js'
import { deferred } from '../../support/deferred.js'

it('a hint goes to the process that reads the range, and to no other', async () => {
  const { hints, clock, sent } = aProcess({ '0': origins[0], '1': origins[1] })
  hints.part('agents').notify('1')
  await clock.advance(0)
  expect(sent()).toEqual([[origins[1], { agents: ['1'] }]])
})

it('a hint without a known range goes to every process of the role', async () => {
  const { hints, clock, sent } = aProcess({ '0': origins[0], '1': origins[1], '2': origins[1] })
  hints.part('agents').notify(null)
  await clock.advance(0)
  expect(sent()).toEqual([
    [origins[0], { agents: null }],
    [origins[1], { agents: null }],
  ])
})

it('many hints of a moment are one message, and hints that follow a single one are gathered for 2 ms', async () => {
  const { hints, clock, sent } = aProcess({ '0': origins[0], '1': origins[0] })
  hints.part('agents').notify('0')
  await clock.advance(0)
  for (const range of ['0', '1', '0']) hints.part('agents').notify(range)
  hints.part('scheduler').notify('1')
  await clock.advance(1)
  expect(sent()).toHaveLength(1)
  await clock.advance(1)
  expect(sent().slice(1)).toEqual([[origins[0], { agents: ['0', '1'], scheduler: ['1'] }]])
})

it('hints that follow many are gathered for 10 ms', async () => {
  const { hints, clock, sent } = aProcess({ '0': origins[0], '1': origins[0] })
  for (const range of ['0', '1']) hints.part('agents').notify(range)
  await clock.advance(0)
  hints.part('agents').notify('0')
  await clock.advance(9)
  expect(sent()).toHaveLength(1)
  await clock.advance(1)
  expect(sent()).toHaveLength(2)
})

it('the hints of a write and a wait for its job are one message', async () => {
  const { world, others, hints, clock, posts } = aProcess({ '0': origins[0] })
  world.answer = ({ path }) => (path === paths.hints ? Promise.resolve('') : new Promise(() => undefined))
  const write = (): void => {
    for (const role of ['scheduler', 'agents'] as const) hints.part(role).notify('0')
  }
  write()
  await clock.advance(5)
  write()
  // A caller begins to wait some promises after the write.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  onTestFinished(others.subscribe({ pk: 'p', id: 'sas.job.j', jobId: 'j' }, '0', () => undefined))
  await clock.advance(0)
  const messages = posts
    .filter(({ path }) => path === paths.hints)
    .map(({ body }) => JSON.parse(body) as object)
  expect(messages).toHaveLength(2)
  expect(messages[1]).toMatchObject({
    wake: { scheduler: ['0'], agents: ['0'] },
    awaited: { jobs: [['p', 'j']] },
  })
})

it.each([
  { ended: 0, afterMs: 100 },
  { ended: 1, afterMs: 2 },
  { ended: 2, afterMs: 10 },
])(
  'after an answer with $ended ended jobs, the next question comes $afterMs ms after the last one',
  async ({ ended, afterMs }) => {
    const { world, others, clock, posts } = aProcess({ '0': origins[0] })
    const answers = [
      JSON.stringify({ ended: Array.from({ length: ended }, (_, index) => ['p', `j${index}`]) }),
    ]
    world.answer = ({ path }) => {
      if (path === paths.hints) return Promise.resolve('')
      const answer = answers.shift()
      return answer === undefined ? new Promise(() => undefined) : Promise.resolve(answer)
    }
    onTestFinished(others.subscribe({ pk: 'p', id: 'sas.job.j', jobId: 'j' }, '0', () => undefined))
    const questions = () => posts.filter(({ path }) => path === paths.ended).length
    await clock.advance(afterMs - 1)
    expect(questions()).toBe(1)
    await clock.advance(1)
    expect(questions()).toBe(2)
  },
)

it('a process sends no hint to itself', async () => {
  const { others, hints, clock, sent } = aProcess({ '0': origins[0] })
  others.ownAddressIs(wakeAddressText({ origin: origins[0], key }))
  hints.part('agents').notify('0')
  await clock.advance(1_000)
  expect(sent()).toEqual([])
})

it('a received hint wakes the readers here and is not sent on', async () => {
  const { others, hints, clock, sent } = aProcess({ '0': origins[0] })
  const woken: (string | null)[] = []
  hints.part('agents').subscribe((range) => woken.push(range))
  others.receive({ wake: { agents: ['0'] } })
  others.receive({ wake: { agents: null } })
  await clock.advance(1_000)
  expect(woken).toEqual(['0', null])
  expect(sent()).toEqual([])
})

it('an address on the loopback interface is used only for processes of the same machine', async () => {
  const { hints, clock, sent } = aProcess({ '0': 'http://127.0.0.1:8181' })
  hints.part('agents').notify('0')
  await clock.advance(1_000)
  expect(sent()).toEqual([])
})

it('a process that does not answer gets no hints for 30 s, and its hints are not sent again', async () => {
  const { world, hints, clock, sent } = aProcess({ '0': origins[0] })
  world.answer = () => Promise.reject(new Error('refused'))
  hints.part('agents').notify('0')
  await clock.advance(29_000)
  hints.part('agents').notify('0')
  await clock.advance(900)
  expect(sent()).toHaveLength(1)
  world.answer = async () => ''
  await clock.advance(200)
  hints.part('agents').notify('0')
  await clock.advance(0)
  expect(sent()).toHaveLength(2)
})

it('after a failure the leases are listed again, so that the next owner is found', async () => {
  const { world, hints, clock, sent } = aProcess({ '0': origins[0] })
  world.answer = () => Promise.reject(new Error('refused'))
  hints.part('agents').notify('0')
  await clock.advance(0)
  world.owners = { '0': origins[2] }
  await clock.advance(5_000)
  hints.part('agents').notify('0')
  await clock.advance(0)
  expect(sent().at(-1)).toEqual([origins[2], { agents: ['0'] }])
})

it('a failure of one process lets the leases of its role be listed again after 5 s', async () => {
  const { world, hints, clock, sent } = aProcess({ '0': origins[0], '1': origins[1] })
  world.answer = ({ origin }) =>
    origin === origins[0] ? Promise.reject(new Error('refused')) : Promise.resolve('')
  hints.part('agents').notify('0')
  await clock.advance(0)
  world.owners = { '0': origins[2], '1': origins[1] }
  hints.part('agents').notify('1')
  await clock.advance(5_000)
  hints.part('agents').notify('0')
  await clock.advance(0)
  expect(sent().at(-1)).toEqual([origins[2], { agents: ['0'] }])
})

it('leases are listed once a minute at most while all hints find their process', async () => {
  const { world, hints, clock } = aProcess({ '0': origins[0] })
  for (let second = 0; second < 59; second += 1) {
    hints.part('agents').notify('0')
    await clock.advance(1_000)
  }
  expect(world.listings).toBe(1)
  await clock.advance(1_000)
  hints.part('agents').notify('0')
  await clock.advance(0)
  expect(world.listings).toBe(2)
})

it('an awaited job is named to its scheduler, which is then asked for its end', async () => {
  const { world, others, clock, posts } = aProcess({ '0': origins[0] })
  const asked = deferred<string>()
  world.answer = ({ path }) => (path === paths.ended ? asked.promise : Promise.resolve(''))
  let hintCount = 0
  const unsubscribe = others.subscribe({ pk: 'p', id: 'sas.job.j', jobId: 'j' }, '0', () => (hintCount += 1))
  await clock.advance(0)
  expect(posts.map(({ path }) => path).sort()).toEqual([paths.ended, paths.hints])
  expect(JSON.parse(posts.find(({ path }) => path === paths.hints)?.body ?? '')).toMatchObject({
    awaited: { session: 'session', jobs: [['p', 'j']] },
  })
  unsubscribe()
  asked.resolve(JSON.stringify({ ended: [['p', 'j']] }))
  await clock.advance(1_000)
  expect(hintCount).toBe(0)
  expect(posts.filter(({ path }) => path === paths.ended)).toHaveLength(1)
})

it('a waiting caller gets a hint when its job has ended', async () => {
  const { world, others, clock } = aProcess({ '0': origins[0] })
  world.answer = async ({ path }) => (path === paths.ended ? JSON.stringify({ ended: [['p', 'j']] }) : '')
  let hintCount = 0
  const job = { pk: 'p', id: 'sas.job.j', jobId: 'j' }
  onTestFinished(others.subscribe(job, '0', () => (hintCount += 1)))
  await clock.advance(0)
  expect(hintCount).toBeGreaterThan(0)
})

const [takesBoth, takesJobs, takesSteps, takesNothing] = [
  { scheduler: 'one', agents: true },
  { scheduler: 'one', agents: false },
  { scheduler: null, agents: true },
  { scheduler: null, agents: false },
].map((taken) => JSON.stringify(taken))

it.each([
  { answers: [takesBoth, takesBoth], taking: 'one', why: 'all processes take jobs and steps' },
  { answers: [takesBoth, takesJobs], taking: null, why: 'the agents of a range take no steps' },
  { answers: [takesBoth, takesSteps], taking: null, why: 'the scheduler of a range takes no jobs' },
  { answers: [takesNothing, takesNothing], taking: null, why: 'no process takes work' },
  { answers: [takesBoth, ''], taking: null, why: 'a process of an older version does not say it' },
  { answers: [takesBoth, '{"scheduler":1}'], taking: null, why: 'an answer has another form' },
])('a scheduler that takes jobs is $taking if $why', async ({ answers, taking }) => {
  const { world, others, clock } = aProcess({ '0': origins[0], '1': origins[1] })
  world.answer = async ({ origin }) => answers[origins.findIndex((each) => each === origin)] ?? ''
  expect(others.takingScheduler()).toBeNull()
  await clock.advance(0)
  others.takingScheduler()
  await clock.advance(0)
  expect(others.takingScheduler()).toBe(taking)
})

it('no scheduler takes jobs while the owner of a range is not known or takes no hints', async () => {
  const { world, others, clock } = aProcess({ '0': origins[0], '1': null })
  world.answer = async () => takesBoth ?? ''
  for (let asked = 0; asked < 5; asked += 1) {
    expect(others.takingScheduler()).toBeNull()
    await clock.advance(5_000)
  }
})

it('what a process takes is known for 5 s after its answer, and is then asked for again', async () => {
  const { world, others, hints, clock, posts } = aProcess({ '0': origins[0] })
  world.answer = async () => takesBoth ?? ''
  hints.part('scheduler').notify('0')
  await clock.advance(0)
  hints.part('agents').notify('0')
  await clock.advance(10)
  expect(others.takingScheduler()).toBe('one')
  await clock.advance(5_000)
  const sent = posts.length
  expect(others.takingScheduler()).toBeNull()
  await clock.advance(0)
  expect(posts).toHaveLength(sent + 1)
  expect(others.takingScheduler()).toBe('one')
  world.answer = () => Promise.reject(new Error('refused'))
  await clock.advance(5_000)
  expect(others.takingScheduler()).toBeNull()
  await clock.advance(1_000)
  expect(others.takingScheduler()).toBeNull()
})

it('a hint that came to a former reader goes to the new one, after another listing (R12)', async () => {
  const { world, hints, clock, sent } = aProcess({ '0': origins[0] })
  hints.part('agents').notify('0')
  await clock.advance(6_000)
  world.owners = { '0': origins[1] }
  world.answer = async ({ origin }) => (origin === origins[0] ? '{"unread":{"agents":["0"]}}' : '')
  hints.part('agents').notify('0')
  await clock.advance(10)
  expect(sent().slice(1)).toEqual([
    [origins[0], { agents: ['0'] }],
    [origins[1], { agents: ['0'] }],
  ])
  expect(world.listings).toBe(2)
})

it('a process whose answer says that it does not read a range gets no hints about it for five seconds', async () => {
  const { world, hints, clock, sent } = aProcess({ '0': origins[0] })
  world.answer = async () => '{"unread":{"agents":["0"]}}'
  for (let second = 0; second < 11; second += 1) {
    hints.part('agents').notify('0')
    await clock.advance(1_000)
  }
  expect([world.listings, sent().length]).toEqual([3, 3])
})

it('a process names the hints about ranges that none of its readers has', () => {
  const { hints, others } = aProcess({})
  hints.part('agents').subscribe((range) => range === '0')
  const wake = { agents: ['0', '1'], scheduler: ['0'], notifier: null }
  expect(others.receive({ wake })).toEqual({ agents: ['1'], scheduler: ['0'] })
})

it('a hint that a former reader refuses within 5 s of the last listing still goes to the new reader', async () => {
  const { world, hints, clock, sent } = aProcess({ '0': origins[0] })
  hints.part('agents').notify('0')
  await clock.advance(4_000)
  world.owners = { '0': origins[1] }
  world.answer = async ({ origin }) => (origin === origins[0] ? '{"unread":{"agents":["0"]}}' : '')
  hints.part('agents').notify('0')
  await clock.advance(10_000)
  expect(sent().map(([origin]) => origin)).toContain(origins[1])
})

it('a wait for a job goes on to the new scheduler of its range, which a hint has found', async () => {
  const { world, hints, others, clock, posts } = aProcess({ '0': origins[0] })
  world.answer = async ({ origin, path }) => {
    if (path === paths.ended) {
      // As the door: the question stays open for a while.
      await clock.sleep(25_000)
      return '{"ended":[]}'
    }
    return origin === origins[0] && clock.monotonic() > 6_000 ? '{"unread":{"scheduler":["0"]}}' : ''
  }
  others.subscribe({ pk: 'p', id: 'sas.job.j', jobId: 'j' }, '0', () => undefined)
  hints.part('scheduler').notify('0')
  await clock.advance(7_000)
  world.owners = { '0': origins[1] }
  hints.part('scheduler').notify('0')
  await clock.advance(60_000)
  expect(posts.some(({ origin, path }) => path === paths.hints && origin === origins[1])).toBe(true)
  expect(posts.filter(({ path }) => path === paths.ended).map(({ origin }) => origin)).toContain(origins[1])
})
