import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulatorProcess } from '../bench/server-process.js'
import { wellFormed } from '../long/hostile/http-request.js'
import { judged } from '../long/hostile/judge.js'
import { runHostile } from '../long/hostile/run.js'
import { cli } from './processes.js'

/** Sends a few hostile requests of a seed to an emulator, and returns the progress. */
async function run(from: number, to: number, mostMemoryMb: number): ReturnType<typeof runHostile> {
  const server = await startEmulatorProcess(cli, ['--partitions', '3'])
  onTestFinished(() => server.kill())
  return runHostile({
    server,
    seed: 1,
    from,
    to,
    mostMemoryMb,
    onBatch: () => undefined,
    onProblem: () => undefined,
  })
}

describe('hostile requests', () => {
  it('are all answered, and neither end the emulator nor disturb correct clients', async () => {
    const { requests, statuses, problems } = await run(0, 400, 2_000)
    expect(problems).toEqual([])
    expect(requests).toBe(400)
    for (const status of [200, 201, 207, 400, 401, 404, 409]) expect(statuses.get(status)).toBeGreaterThan(0)
  })

  it('reveal an emulator that uses too much memory', async () => {
    expect((await run(0, 1, 10)).problems).toEqual([expect.stringMatching(/uses \d+ MB of memory/u)])
  })
})

describe('an answer to a hostile request', () => {
  const request = wellFormed('request', { method: 'GET', path: '/dbs' }, { key: 'a2V5' })
  const answer = (status: string, body: string): string =>
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const judge = (text: string, elapsedMs = 1, processor = elapsedMs): string | null =>
    judged(request, { bytes: Buffer.from(text), elapsedMs, isUnanswered: false }, processor).problem
  const good = answer('200 OK', '{}')
  const refusal = '{"code":"BadRequest","message":"at x (file:///a.js:1:2)"}'

  it('is right if it is complete and in time', () => {
    expect(judge(good)).toBeNull()
    expect(judge(good, 9_000, 100), 'the machine was busy').toBeNull()
  })

  it.each([
    ['has status 500', answer('500 Internal Server Error', '{}'), 1, /the status is 500/u],
    ['shows a stack trace', answer('400 Bad Request', refusal), 1, /stack trace/u],
    ['is an error without a code', answer('400 Bad Request', '{}'), 1, /no code or message/u],
    ['is not JSON', answer('200 OK', '{'), 1, /not JSON/u],
    ['is too short', good.slice(0, -1), 1, /shorter than its length/u],
    ['is missing', '', 1, /closed without an answer/u],
    ['is sent twice', good + good, 1, /there are 2 answers/u],
    ['is not HTTP', 'hello\r\n\r\n', 1, /begins with "hello"/u],
    ['computes for more than 5 s', good, 5_001, /took 5001 ms/u],
  ])('is wrong if it %s', (_, text, elapsedMs, problem) => {
    expect(judge(text, elapsedMs)).toMatch(problem)
  })
})
