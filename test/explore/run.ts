/**
 * `npm run explore` visits every state of every world, breadth first, as far as `--max-states` and `--depth`
 * allow. `npm run explore -- --world two-jobs --max-states 20000000` visits one world. `--json` prints one
 * object. A violation ends with exit code 1 and the shortest trace; `--out FILE` writes it as JSON, and
 * `--replay FILE` follows it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/platform/index.js'
import { Explorer, type Exploration } from './explorer.js'
import { replay, traceOf, type Trace } from './trace.js'
import type { World } from './world.js'
import { exploreTicks, scheduleWorlds } from './schedule-world.js'
import { worldNamed, worlds } from './worlds.js'

const { values } = parseArgs({
  options: {
    world: { type: 'string' },
    'max-states': { type: 'string', default: '1000000' },
    depth: { type: 'string', default: '1000000' },
    json: { type: 'boolean', default: false },
    out: { type: 'string' },
    replay: { type: 'string' },
  },
})

interface Report extends Omit<Exploration, 'violation'> {
  readonly world: string
  readonly seconds: number
  readonly statesPerSecond: number
  readonly violations: number
  readonly trace: Trace | null
}

function explored(world: World): Report {
  const startedAtMs = systemClock.monotonic()
  const secondsSince = (): number => (systemClock.monotonic() - startedAtMs) / 1_000
  const explorer = new Explorer(world, undefined, (states, depth) => {
    if (!values.json)
      process.stderr.write(
        `${world.name}: depth ${depth}, ${states} states, ${secondsSince().toFixed(0)} s\n`,
      )
  })
  const { violation, ...found } = explorer.explore({
    maxStates: positive('max-states', values['max-states']),
    depth: positive('depth', values.depth),
  })
  const seconds = secondsSince()
  return {
    world: world.name,
    ...found,
    seconds,
    statesPerSecond: Math.round(found.states / seconds),
    violations: violation === null ? 0 : 1,
    trace: violation === null ? null : traceOf(explorer, violation),
  }
}

function positive(option: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new Error(`--${option} ${JSON.stringify(text)} must be a whole number from 1`)
}

function tell(report: Report): void {
  const { world, states, transitions, depth, ofOneJob, documents, ends, isComplete, seconds, trace } = report
  const end = isComplete ? 'all of them' : 'and there are more'
  process.stdout.write(
    `${world}: ${states} states, ${end}; ${transitions} transitions, depth ${depth}; ` +
      `${ofOneJob} states of one job, ${documents} documents; ends: ${ends.join(', ')}; ` +
      `${seconds.toFixed(1)} s, ${report.statesPerSecond} states/s; ${report.violations} violations\n`,
  )
  if (trace !== null) process.stdout.write(`${textOf(trace)}\n`)
}

function textOf({ problem, actions }: Trace): string {
  const lines = actions.flatMap(({ does, changes }, index) => [
    `${index + 1}. ${does}`,
    ...changes.map((change) => `     ${change}`),
  ])
  return [...lines, `broken: ${problem}`].join('\n')
}

function repeat(file: string): void {
  const trace = JSON.parse(readFileSync(file, 'utf8')) as Trace
  const { followed, problem } = replay(new Explorer(worldNamed(trace.world)), trace)
  process.stdout.write(
    `${followed} of ${trace.actions.length} actions followed; broken: ${problem ?? 'nothing'}\n`,
  )
  if (problem !== null) process.exitCode = 1
}

/** Explores the worlds of schedules that are chosen. Returns whether a name chose one of them. */
function exploredSchedules(): boolean {
  const chosen = scheduleWorlds.filter(({ name }) => values.world === undefined || name === values.world)
  for (const world of chosen) {
    const { violation, ...found } = exploreTicks(world, {
      maxStates: positive('max-states', values['max-states']),
    })
    if (violation !== null) process.exitCode = 1
    const report = { world: world.name, ...found, violations: violation === null ? 0 : 1, trace: violation }
    const text = `${world.name}: ${found.states} states, ${found.transitions} transitions; ${report.violations} violations`
    process.stdout.write(`${values.json ? JSON.stringify(report) : text}\n`)
    if (violation === null || values.json) continue
    process.stdout.write(`${[...violation.trace, `broken: ${violation.problem}`].join('\n')}\n`)
  }
  return values.world !== undefined && chosen.length > 0
}

if (values.replay === undefined) {
  const isSchedule = exploredSchedules()
  const named = values.world === undefined ? worlds : isSchedule ? [] : [worldNamed(values.world)]
  for (const world of named) {
    const report = explored(world)
    if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`)
    else tell(report)
    if (report.trace === null) continue
    process.exitCode = 1
    if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(report.trace, null, 2)}\n`)
    break
  }
} else {
  repeat(values.replay)
}
