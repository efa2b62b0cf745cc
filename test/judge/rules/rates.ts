import type { Fields } from './history.js'
import type { Report, Rule } from './report.js'
import { numberIn, type HandlerCall, type World } from './world.js'

/** Rules about limits with a rate. The calls of handlers show when attempts begin. */
export const rateRules: readonly Rule<World>[] = [
  {
    id: 'rate',
    says: 'no more attempts begin in any time than the rate allows, apart from those that a fault held back',
    check: (world, report) => {
      for (const rate of ratesOf(world)) checkRate(rate, world, report)
    },
  },
]

interface Rate {
  readonly key: string
  readonly perSecond: number
  readonly burst: number
  /** The first call of each attempt. */
  readonly begins: readonly HandlerCall[]
}

/** Returns the rates of the run, each with the attempts of its steps in the order in which they began. */
function ratesOf({ jobs, calls }: World): readonly Rate[] {
  const found = new Map<string, Rate>()
  for (const { jobId, steps } of jobs) {
    for (const [stepId, { versions }] of steps) {
      const limits = versions[0]?.value['limits']
      for (const limit of Array.isArray(limits) ? (limits as Fields[]) : []) {
        const [key, perSecond] = [String(limit['key']), numberIn(limit, 'perSecond')]
        if (Number.isNaN(perSecond) || limit['perPartition'] === true) continue
        const own = calls.filter((call) => call.jobId === jobId && call.stepId === stepId)
        const known = found.get(key) ?? { key, perSecond, burst: burstOf(limit), begins: [] }
        found.set(key, { ...known, begins: [...known.begins, ...firstCalls(own)] })
      }
    }
  }
  return [...found.values()].map((rate) => ({
    ...rate,
    begins: [...rate.begins].sort((a, b) => a.operation.from - b.operation.from),
  }))
}

/** Returns the attempts that may begin at once after a quiet time: by default, those of a second. */
function burstOf(limit: Fields): number {
  const burst = numberIn(limit, 'burst')
  return Number.isNaN(burst) ? Math.max(1, Math.ceil(numberIn(limit, 'perSecond'))) : burst
}

/** Leaves out undos, which need no place, and later calls for the same attempt. */
function firstCalls(calls: readonly HandlerCall[]): readonly HandlerCall[] {
  const first = new Map<string, HandlerCall>()
  for (const call of calls) {
    const name = `${call.key} ${call.attempt}`
    if (call.kind === 'do' && !first.has(name)) first.set(name, call)
  }
  return [...first.values()]
}

/** How much later than the rate allows an attempt may begin because processes wait for a core. */
const busyMs = 2_000

/** The same after a fault, when another instance must take over first. */
const takeOverMs = 15_000

/** Returns how long the attempts that began in a time may have been held back. */
function heldBackMs({ history }: World, from: number, until: number): number {
  const isDisturbed = history.events.some(
    ({ what, at }) => what === 'fault' && from - takeOverMs * 1_000 <= at && at <= until,
  )
  return isDisturbed ? takeOverMs : busyMs
}

function checkRate({ key, perSecond, burst, begins }: Rate, world: World, report: Report): void {
  for (const [index, first] of begins.entries()) {
    for (const [more, last] of begins.slice(index + burst).entries()) {
      const count = burst + more + 1
      const [from, until] = [first.operation.from, last.operation.from]
      const ms = (until - from) / 1_000
      const most = burst + (perSecond * (ms + heldBackMs(world, from, until))) / 1_000
      report.check(
        count <= most,
        () =>
          `limit ${key} allows ${perSecond} a second, and ${count} attempts began in ${Math.round(ms)} ms`,
        () => [first.operation, last.operation],
      )
    }
  }
}
