/**
 * `npm run judge -- --runs 200 --seed 1` makes runs with real processes under faults and judges the history
 * of each. `--history FILE` judges one file. `--bugs` puts one bug after another into the code under test and
 * checks that each is rejected (`--only WORD` selects bugs whose name contains it). `--parallel 3` makes
 * three runs at the same time. Exits with 1 when a rule is broken, when 20 or more runs give a rule nothing
 * to check, or when a bug is not rejected.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { bugs, type SeededBug } from './bugs.js'
import { judge, readHistory, rules, type Verdict, type Violation } from './rules/index.js'
import { optionsWith, rootFrom } from './runs/broken-module.js'
import { runOnce, type RunOptions } from './runs/one-run.js'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '3' },
    history: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    tries: { type: 'string', default: '6' },
  },
})
const root = rootFrom(import.meta.url)
const folder = join(root, '.stepward', 'histories')
/** The number of runs that gives every rule something to check. */
const enoughRuns = 20

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Makes one run and judges it. Removes the history if it keeps every rule. */
async function judged(options: Omit<RunOptions, 'history'>, name: string): Promise<Verdict> {
  mkdirSync(folder, { recursive: true })
  const history = join(folder, `${name}.jsonl`)
  if (existsSync(history)) rmSync(history)
  await runOnce({ ...options, history })
  const verdict = judge(readHistory(history))
  if (verdict.violations.length === 0) rmSync(history)
  return verdict
}

/** Returns the violation with the shortest excerpt for each broken rule. */
function shortest(violations: readonly Violation[]): readonly Violation[] {
  const found = new Map<string, Violation>()
  for (const violation of violations) {
    const known = found.get(violation.rule)
    if (known === undefined || violation.excerpt.length < known.excerpt.length)
      found.set(violation.rule, violation)
  }
  return [...found.values()]
}

function printViolations(verdict: Verdict, repeat: string): void {
  for (const { rule, message, excerpt } of shortest(verdict.violations)) {
    const says = rules.find(({ id }) => id === rule)?.says ?? ''
    print(`BROKEN ${rule}: ${message}\n  (${says})`)
    for (const event of excerpt.slice(0, 12)) print(`  ${JSON.stringify(event).slice(0, 400)}`)
  }
  if (verdict.violations.length > 0) print(`  ${repeat}\n`)
}

/** Calls `work` for each item, at most `atOnce` at the same time. */
async function each<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const next = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

function printCounts(counts: ReadonlyMap<string, number>, broken: ReadonlyMap<string, number>): void {
  for (const { id } of rules) {
    print(
      `${String(counts.get(id) ?? 0).padStart(9)} checked  ${String(broken.get(id) ?? 0).padStart(4)} broken  ${id}`,
    )
  }
}

async function judgeRuns(seeds: readonly number[]): Promise<number> {
  const counts = new Map<string, number>()
  const broken = new Map<string, number>()
  const beganMs = Date.now()
  let rejected = 0
  await each(seeds, Number(values.parallel), async (seed) => {
    const name = `seed-${seed}`
    const verdict = await judged({ seed }, name)
    for (const [rule, count] of verdict.checked) counts.set(rule, (counts.get(rule) ?? 0) + count)
    for (const { rule } of verdict.violations) broken.set(rule, (broken.get(rule) ?? 0) + 1)
    if (verdict.violations.length > 0) rejected += 1
    const file = join('.stepward', 'histories', `${name}.jsonl`)
    printViolations(verdict, `again: npm run judge -- --runs 1 --seed ${seed}; its history: ${file}`)
  })
  printCounts(counts, broken)
  const seconds = Math.round((Date.now() - beganMs) / 1_000)
  print(`${seeds.length} runs in ${seconds} s, ${rejected} rejected`)
  const idle = seeds.length < enoughRuns ? [] : rules.filter(({ id }) => (counts.get(id) ?? 0) === 0)
  for (const { id } of idle) print(`NOT CHECKED ${id}: no run gave this rule anything to check`)
  return rejected === 0 && idle.length === 0 ? 0 : 1
}

/** Returns the rule that rejected the bug and the number of runs, or null if no rule did. */
async function rejection(
  bug: SeededBug,
  index: number,
): Promise<{ readonly runs: number; readonly rule: string } | null> {
  const execArgv = await optionsWith(bug, root)
  for (let runs = 1; runs <= Number(values.tries); runs += 1) {
    const seed = Number(values.seed) + runs - 1
    const { kinds, faults, schedules = ['ticking'], patienceMs = 60_000 } = bug
    const options = { seed, kinds, faults, schedules, execArgv, jobs: 6, patienceMs }
    const { violations } = await judged(options, `bug-${index}`)
    const rejecting = violations.find(({ rule }) => bug.rejectedBy.includes(rule))
    if (rejecting !== undefined) return { runs, rule: rejecting.rule }
  }
  return null
}

async function judgeBugs(): Promise<number> {
  const chosen = bugs.filter(({ name }) => name.includes(values.only))
  let survivors = 0
  await each([...chosen.entries()], Number(values.parallel), async ([index, bug]) => {
    const found = await rejection(bug, index)
    if (found === null) survivors += 1
    const verdict = found === null ? 'SURVIVED' : `${found.rule} in run ${found.runs}`
    print(`${verdict.padEnd(32)} ${bug.name}`)
  })
  print(`${chosen.length} bugs, ${chosen.length - survivors} rejected`)
  return survivors > 0 || chosen.length === 0 ? 1 : 0
}

function judgeFile(path: string): number {
  const verdict = judge(readHistory(path))
  const broken = new Map<string, number>()
  for (const { rule } of verdict.violations) broken.set(rule, (broken.get(rule) ?? 0) + 1)
  printViolations(verdict, `in ${path}`)
  printCounts(verdict.checked, broken)
  return verdict.violations.length === 0 ? 0 : 1
}

const first = Number(values.seed)
if (values.history !== undefined) process.exitCode = judgeFile(values.history)
else if (values.bugs) process.exitCode = await judgeBugs()
else
  process.exitCode = await judgeRuns(Array.from({ length: Number(values.runs) }, (_, index) => first + index))
