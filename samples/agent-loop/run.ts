import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from 'stepward'
import { seededRandom } from 'stepward/testing'
import { urlVariable } from '../remote-service/ask.js'
import { startRemoteService, type Mood } from '../remote-service/index.js'
import { facts, problemsOf, rounds, words } from './book.js'

const usage = `usage: npm run sample:agent-loop -- [--kills N] [--seed N]

  --kills N    how often the process of the agent is killed, 0 to 20 (default: 5)
  --seed N     decides in which rounds (default: 1)`

const tell = (line: string): void => void process.stdout.write(`${line}\n`)

/** Chooses the rounds in which the agent is killed, and what its call meets at that moment. */
function plannedKills(kills: number, seed: number): ReadonlyMap<number, ReturnType<Mood>> {
  const random = seededRandom(seed)
  const ends = ['done', 'silent', 'doneAndSilent'] as const
  const planned = new Map<number, ReturnType<Mood>>()
  while (planned.size < kills) {
    const round = 1 + Math.floor(random.next() * rounds)
    planned.set(round, ends[Math.floor(random.next() * ends.length)] ?? 'done')
  }
  return planned
}

/** Runs the agent until its job is done, and kills its process with -9 in the planned rounds. */
async function run(kills: number, seed: number): Promise<readonly string[]> {
  const planned = plannedKills(kills, seed)
  const data = await mkdtemp(join(tmpdir(), 'agent-'))
  let [agent, calls, repeated]: [ChildProcess | null, number, number] = [null, 0, 0]
  const mood: Mood = ({ kind, number }) => {
    if (number > 1) {
      repeated += 1
      return 'done'
    }
    calls += 1
    const end = planned.get(calls)
    if (end === undefined) return 'done'
    tell(`round ${calls}: the agent is killed while it calls ${kind}`)
    agent?.kill('SIGKILL')
    return end
  }
  const remote = await startRemoteService(mood, facts)
  const env = { ...process.env, [urlVariable]: remote.url }
  const startedMs = systemClock.monotonic()
  try {
    for (let code: number | null = null; code === null;) {
      agent = fork(fileURLToPath(new URL('main.js', import.meta.url)), [data], { env })
      const [exit] = (await once(agent, 'exit')) as [number | null]
      code = exit
      if (code !== null && code !== 0) throw new Error(`the process of the agent ended with code ${code}`)
    }
    const seconds = ((systemClock.monotonic() - startedMs) / 1_000).toFixed(1)
    tell(`${calls} rounds in ${seconds} s; ${planned.size} kills, ${repeated} calls were repeated`)
    return problemsOf(remote.effects())
  } finally {
    await remote.close()
    await rm(data, { recursive: true, force: true })
  }
}

function numberFrom(name: string, value: string, most: number): number {
  const number = Number(value)
  if (value !== '' && Number.isInteger(number) && number >= 0 && number <= most) return number
  throw new Error(`--${name} ${JSON.stringify(value)} must be a whole number from 0 to ${most}\n${usage}`)
}

try {
  const options = {
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  } as const
  const { values } = parseArgs({ args: process.argv.slice(2), options })
  const problems = await run(
    numberFrom('kills', values.kills, 20),
    numberFrom('seed', values.seed, 1_000_000_000),
  )
  for (const problem of problems) tell(problem)
  if (problems.length === 0)
    tell(`each round had its effect exactly once and in order; the book has ${words} words`)
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
