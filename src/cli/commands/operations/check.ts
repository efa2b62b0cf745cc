import {
  checkModule,
  type CheckedLimit,
  type CheckedStep,
  type CheckedWorkflow,
  type CheckReport,
} from '../../../operations/index.js'
import { counted } from '../../../platform/internal.js'
import { readSettings } from '../../../connection/internal.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { loadUserModule, modulePath } from '../../input/user-module.js'
import { durationText } from '../../output/duration-text.js'
import { fitted } from '../../output/fitted.js'
import type { Terminal } from '../../output/terminal.js'

export interface CheckOptions {
  readonly config?: string
  readonly json?: boolean
}

/** Prints the plans of a module, what they add up to, and every problem. Needs no store. */
export async function check(
  module: string | undefined,
  { config, json }: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  const where = config === undefined ? {} : { configPath: config }
  const { module: configured } = await readSettings({ flags: {}, directory: process.cwd(), ...where })
  const path = modulePath(module, configured, 'stepward check')
  const loaded = await loadUserModule(path)
  if (loaded.workflows.length + loaded.agents.length + loaded.schedules.length === 0) {
    const rule = 'export what defineWorkflow, defineAgent and defineSchedule return'
    throw new CliError(`module ${path} exports no workflow, agent or schedule: ${rule}`, exitCodes.usage)
  }
  const report = checkModule(loaded)
  terminal.print(json === true ? JSON.stringify(report) : textOf(report, terminal.tableWidth))
  return report.problems.length > 0 ? exitCodes.failed : exitCodes.ok
}

function textOf({ workflows, schedules, problems, warnings }: CheckReport, width: number): string {
  const blocks = workflows.map((workflow) => workflowText(workflow, width))
  const ticks = schedules.map(({ id, workflow }) => `schedule ${id} submits jobs of ${workflow}`)
  const found = [
    ...problems.map((what) => `problem: ${what}`),
    ...warnings.map((what) => `warning: ${what}`),
    `${counted(problems.length, 'problem')}, ${counted(warnings.length, 'warning')}`,
  ]
  return [...blocks, ...(ticks.length === 0 ? [] : [ticks.join('\n')]), found.join('\n')].join('\n\n')
}

function workflowText(workflow: CheckedWorkflow, width: number): string {
  const { name, version, steps, limits, charge } = workflow
  const parts = steps.flatMap(({ id, items, roundCharge }) => [
    ...(items === null ? [] : [`each item of ${id}: ${chargeText(items.charge)}`]),
    ...(roundCharge === null ? [] : [`each further round of ${id}: ${chargeText(roundCharge)}`]),
  ])
  const leftOut = parts.length === 0 ? '' : ', without the lines below'
  return [
    `workflow ${name}, version ${version}: ${counted(steps.length, 'step')}`,
    ...stepLines(steps, width).map((line) => `  ${line}`),
    ...limits.map((limit) => `  limit of its jobs: ${limitText(limit, 'job')}`),
    `  if every attempt fails at its deadline: ${longestText(workflow)}`,
    `  a job without faults: ${chargeText(charge)}${leftOut}`,
    ...parts.map((part) => `  ${part}`),
  ].join('\n')
}

function chargeText({ together, apart }: CheckedWorkflow['charge']): string {
  return `${together} RU in one process, ${apart} RU with the roles apart`
}

function limitText({ key, atOnce, perSecond, burst, perPartition }: CheckedLimit, noun?: string): string {
  const rules = [
    ...(atOnce === null ? [] : [`${noun === undefined ? atOnce : counted(atOnce, noun)} at once`]),
    ...(perSecond === null ? [] : [`${perSecond} a second`]),
    ...(burst === null ? [] : [`burst ${burst}`]),
    ...(perPartition ? ['per partition'] : []),
  ]
  return rules.length === 0 ? key : `${key} (${rules.join(', ')})`
}

function stepLines(steps: readonly CheckedStep[], width: number): readonly string[] {
  const depths = depthsOf(steps)
  const rows = alikeOf(steps, depths).map(({ first, last }) => [
    `${'  '.repeat(Math.min(depths.get(first.id) ?? 0, 8))}${first.id}${first === last ? '' : ` to ${last.id}`}`,
    whatText(first),
    timeText(first),
    first === last ? remark(first) : ofEachItem(first),
  ])
  const fits = fitted(['', '', '', ''], rows, width - 4)
  const widths = [0, 1, 2].map((column) => Math.max(0, ...fits.map((row) => row[column]?.length ?? 0)))
  return fits.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Steps one after another that differ only by their item. */
interface Alike {
  readonly first: CheckedStep
  readonly last: CheckedStep
}

/** Joins the steps that `forEach` has added for the items of one list. */
function alikeOf(steps: readonly CheckedStep[], depths: ReadonlyMap<string, number>): readonly Alike[] {
  const groups: Alike[] = []
  for (const step of steps) {
    const group = groups.at(-1)
    const isNext =
      group !== undefined &&
      nextId(group.last.id) === step.id &&
      depths.get(group.last.id) === depths.get(step.id) &&
      [whatText, timeText, ofEachItem].every((text) => text(group.first) === text(step))
    if (isNext) groups[groups.length - 1] = { first: group.first, last: step }
    else groups.push({ first: step, last: step })
  }
  return groups
}

/** Returns the id of the step for the next item of a list. Returns null if the step is of no item. */
function nextId(id: string): string | null {
  const number = /-(\d+)$/.exec(id)?.[1]
  return number === undefined ? null : `${id.slice(0, -number.length)}${Number(number) + 1}`
}

/** Returns the remark of a step, with its item as "the item". */
function ofEachItem(step: CheckedStep): string {
  const [number = ''] = /\d+$/.exec(step.id) ?? []
  return remark(step).replace(`has item ${number}`, 'has the item')
}

/** Says how long a job takes at most, and whether waits at limits may come on top. */
function longestText({ steps, limits, longestMs, undoMs }: CheckedWorkflow): string {
  const isList = steps.some(({ items }) => items !== null)
  const unknown = isList ? 'as long as its items take' : 'as long as its sleeps take'
  const longest = longestMs === null ? unknown : `at most ${exactText(longestMs)}`
  const undone = undoMs === 0 ? '' : `, and ${exactText(undoMs)} to undo it`
  const count = limits.length + steps.reduce((sum, step) => sum + step.limits.length, 0)
  const waits = count === 0 ? '' : `; waits at ${count === 1 ? 'its limit' : 'limits'} are not counted`
  return `${longest}${undone}${waits}`
}

/** Returns a duration in its two largest units, such as `10 d 3 min`. */
function exactText(ms: number): string {
  const parts: string[] = []
  let restMs = ms
  for (const unitMs of [86_400_000, 3_600_000, 60_000, 1_000]) {
    if (restMs >= unitMs && parts.length < 2) {
      parts.push(durationText(Math.floor(restMs / unitMs) * unitMs))
      restMs %= unitMs
    }
  }
  return parts.length === 0 ? `${ms} ms` : parts.join(' ')
}

function whatText({ kind, calls, items }: CheckedStep): string {
  if (calls !== null) return calls
  if (items !== null) return `${items.workflow} for each item`
  return { sleep: 'sleeps', waitFor: 'waits for an event', ask: 'asks people', gather: 'gathers' }[
    kind === 'operation' ? 'gather' : kind
  ]
}

function timeText({ kind, calls, items, tries, completeWithinMs, rounds, longestMs }: CheckedStep): string {
  if (kind === 'gather') return ''
  if (items !== null) return `${items.atOnce} at once`
  if (kind === 'sleep') return longestMs === null ? 'until an instant' : durationText(longestMs)
  if (calls === null) return durationText(completeWithinMs)
  const attempts = `${tries} × ${durationText(completeWithinMs)}`
  return rounds === null ? attempts : `${attempts}, ${rounds} rounds`
}

function remark({ when, undo, limits }: CheckedStep): string {
  return [
    ...(when === null ? [] : [`if ${when}`]),
    ...(undo === null ? [] : [`undo ${undo}`]),
    ...limits.map((limit) => `limit ${limitText(limit)}`),
  ].join(', ')
}

/** Returns how many steps come one after another before each step. */
function depthsOf(steps: readonly CheckedStep[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>()
  for (const { id, after } of steps) {
    depths.set(id, Math.max(-1, ...after.map((before) => depths.get(before) ?? 0)) + 1)
  }
  return depths
}
