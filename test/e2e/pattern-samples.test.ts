import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { run, sampleRun } from './processes.js'

const python = process.env['PYTHON'] ?? 'python3'
const hasPython = spawnSync(python, ['--version']).status === 0

describe('the sample', () => {
  it('`provisioning` brings resources from Disabled to Active, with a failure at (7) (R177)', async () => {
    const { stdout, code } = await run(sampleRun('provisioning'), [])
    const numbers = [...stdout.matchAll(/\((\d)\)/g)].map(([, number]) => Number(number))
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9])
    expect(stdout).toContain('database is Active, after 1 attempt\n')
    expect(stdout).toContain('website is Active, after 2 attempts\n')
    expect(stdout).toContain('the job is Processed; the remote services made: database, website\n')
    expect(code).toBe(0)
  })

  it('`travel` books one trip at once, one at the second try, and cancels one (R97, R112)', async () => {
    const { stdout, code } = await run(sampleRun('travel'), [])
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const everything = ['car', 'flight', 'hotel']
    expect(outcomes).toMatchObject([
      { traveller: 'ada', state: 'Processed', generation: 1, booked: everything },
      { traveller: 'grace', state: 'Processed', generation: 2, booked: everything },
      { traveller: 'linus', state: 'Compensated', generation: 1, booked: [] },
    ])
    expect(code).toBe(0)
  })

  // This repository requires only Node, and the sample is about another language.
  it.runIf(hasPython)('`foreign-agent` completes all jobs although its Python agent is killed', async () => {
    const { stdout, code } = await run(sampleRun('foreign-agent'), [])
    expect(stdout).toContain('the agent was killed; another one takes its place')
    expect(stdout).toContain('label-2: {"label":"THIS SIDE UP"}\n')
    expect(stdout).toContain('4 labels for 4 jobs\n')
    expect(code).toBe(0)
  })

  it('`foreign-agent` says what to install when Python is missing', async () => {
    const { stderr, code } = await run(sampleRun('foreign-agent'), [], { PYTHON: 'no-such-python' })
    expect(stderr).toBe('no-such-python was not found: install Python 3, or set PYTHON to its path\n')
    expect(code).toBe(1)
  })
})
