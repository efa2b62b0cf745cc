import type { Fields } from './history.js'
import type { Report, Rule } from './report.js'
import type { Document, Version } from './versions.js'
import { isTerminal } from './transitions.js'
import { numberIn, objectIn, type World } from './world.js'

/** Rules about the limits of steps. The steps themselves show who is at work, not only the limits. */
export const limitRules: readonly Rule<World>[] = [
  {
    id: 'limit',
    says: 'never more steps are at work than the limit allows, as the state container shows it',
    check: (world, report) => {
      for (const [key, steps] of limitedSteps(world)) checkAtWork(key, steps, report)
      for (const gate of world.gates) checkHolders(gate, report)
    },
  },
  {
    id: 'limit-moves',
    says: 'no waiting step is left behind at a limit that has room',
    check: (world, report) => {
      for (const [key, steps] of limitedSteps(world)) checkLeft(key, steps, world, report)
    },
  },
]

interface LimitedStep {
  readonly step: Document
  readonly atOnce: number
  readonly isJobOver: boolean
}

/** Returns the steps of each limit by its key. */
function limitedSteps({ jobs }: World): ReadonlyMap<string, readonly LimitedStep[]> {
  const found = new Map<string, LimitedStep[]>()
  for (const { steps, last } of jobs) {
    for (const step of steps.values()) {
      const stored = step.versions[0]?.value
      const limits = Array.isArray(stored?.['limits']) ? (stored['limits'] as Fields[]) : []
      for (const limit of limits) {
        const { key, atOnce } = limit
        if (typeof key !== 'string' || typeof atOnce !== 'number') continue
        const name = keyOf(limit, String(stored?.['pk']))
        const isJobOver = last === undefined || isTerminal(last)
        found.set(name, [...(found.get(name) ?? []), { step, atOnce, isJobOver }])
      }
    }
  }
  return found
}

/** Returns the key of a limit, which names the partition if each partition has its own limit. */
export function keyOf({ key, perPartition }: Fields, pk: string): string {
  return perPartition === true ? `partition:${String(key)}:${pk}` : String(key)
}

function isAtWork({ value, isThere }: Version): boolean {
  return isThere && value['lockedBy'] !== null && value['direction'] === 'do'
}

/** A time in which a step was certainly at work: from the answer to its dispatch until the request that ended it. */
interface Stretch {
  readonly from: number
  readonly until: number
  readonly begin: Version
}

export function stretchesOf(step: Document): readonly Stretch[] {
  const { versions } = step
  const stretches: Stretch[] = []
  for (const [index, version] of versions.entries()) {
    const before = versions[index - 1]
    if (!isAtWork(version) || (before !== undefined && isAtWork(before))) continue
    const end = versions.slice(index + 1).find((later) => !isAtWork(later))
    const from = provenBy(step, index)
    const until = end?.write.operation.from ?? Infinity
    if (from < until) stretches.push({ from, until, begin: version })
  }
  return stretches
}

/** Returns a time at which a version had certainly been written: its answer, the next write, or a sight of it. */
function provenBy({ versions, sights }: Document, index: number): number {
  const version = versions[index]
  const seen = sights.filter(({ etag }) => etag === version?.etag).map(({ operation }) => operation.until)
  const answers = versions.slice(index).map(({ write }) => write.operation.until)
  return Math.min(...seen, ...answers)
}

function checkAtWork(key: string, steps: readonly LimitedStep[], report: Report): void {
  const stretches = steps.flatMap(({ step, atOnce }) =>
    stretchesOf(step).map((stretch) => ({ ...stretch, atOnce })),
  )
  for (const { from, atOnce } of stretches) {
    const together = stretches.filter((other) => other.from <= from && from < other.until)
    report.check(
      together.length <= atOnce,
      () =>
        `limit ${key} allows ${atOnce}, and at work are ${together.map(({ begin }) => begin.write.id).join(', ')}`,
      () => together.map(({ begin }) => begin.write.operation),
    )
  }
}

/** Checks each write of a limit by itself. */
function checkHolders({ id, writes }: Document, report: Report): void {
  for (const { value, operation } of writes) {
    const atOnce = numberIn(objectIn(value, 'operated'), 'atOnce')
    const most = Number.isNaN(atOnce) ? numberIn(objectIn(value, 'rules'), 'atOnce') : atOnce
    const holders = value['holders']
    if (Number.isNaN(most) || !Array.isArray(holders)) continue
    report.check(
      holders.length <= most,
      () => `${id} allows ${most} and has ${holders.length} steps inside`,
      () => [operation],
    )
  }
}

/** Returns the key of the limit at which a step or job waits, or null. */
export function waitsFor(step: Fields | undefined): string | null {
  const key = objectIn(step, 'place')['waitsFor']
  return typeof key === 'string' ? key : null
}

/** Checks whether a step has a place at a limit: it has entered, and is not over. */
function isInside(step: Document, key: string): boolean {
  const last = step.versions.at(-1)
  if (last?.isThere !== true || last.value['direction'] !== 'do') return false
  if (isAtWork(last)) return true
  const { gates } = objectIn(last.value, 'place')
  if (last.value['processState'] !== 'Pending' || !Array.isArray(gates)) return false
  // A step comes to its limits in the order of this list, and keeps its places while it waits for the next.
  const keys = (gates as Fields[]).map((gate) => gate['key'])
  const waiting = waitsFor(last.value)
  return keys.slice(0, waiting === null ? keys.length : keys.indexOf(waiting)).includes(key)
}

/** Checks the steps that have waited at a limit. One that still waits must have a reason. */
function checkLeft(key: string, steps: readonly LimitedStep[], { awaitedMs }: World, report: Report): void {
  const inside = steps.filter(({ step, isJobOver }) => !isJobOver && isInside(step, key))
  for (const { step, atOnce, isJobOver } of steps) {
    if (!step.versions.some(({ value }) => waitsFor(value) === key)) continue
    const last = step.versions.at(-1)
    const since = Date.parse(String(objectIn(last?.value, 'place')['since']))
    const isLeft =
      !isJobOver &&
      last?.isThere === true &&
      last.value['lockedBy'] === null &&
      waitsFor(last.value) === key &&
      awaitedMs !== null &&
      since <= awaitedMs
    report.check(
      !isLeft || inside.length >= atOnce,
      () => `${step.id} still waits at limit ${key}, which allows ${atOnce} and has ${inside.length} inside`,
      () => [last?.write.operation ?? null],
    )
  }
}
