import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Explorer } from './explorer.js'
import { faults } from './faults.js'
import { replay, traceOf, type Trace } from './trace.js'
import { TupleTable } from './tuple-table.js'
import { smallWorlds, worldNamed } from './worlds.js'

const bounds = { maxStates: 150_000, depth: 1_000 }

/** The ends of jobs in worlds in which some ends are not reachable. */
const endsOf: Readonly<Record<string, readonly string[]>> = {
  again: ['Error', 'Processed'],
  'again-beside': ['Error', 'Processed'],
  'failing-beside-a-wait': ['Error', 'Processed'],
  'without-undo': ['Error', 'Processed'],
  parked: ['Compensated', 'Error', 'Processed', 'waiting'],
}

describe('every reachable state of jobs (R42, R69, I8)', () => {
  it.each(smallWorlds)('in the world $name keeps every invariant and leads to an end', (world) => {
    const { violation, isComplete, ends } = new Explorer(world).explore(bounds)
    expect(violation).toBeNull()
    expect(isComplete).toBe(true)
    expect(ends).toEqual(endsOf[world.name] ?? ['Compensated', 'Error', 'Processed'])
  })
})

// The long run visits the rest. A step that another one hides needs seven moves.
it('a snooze changes nothing that roles decide by, and hides no other step, in the nearest states (I42)', () => {
  const { violation, depth } = new Explorer(worldNamed('triaged')).explore({ maxStates: 3_000, depth: 1_000 })
  expect(violation).toBeNull()
  expect(depth).toBeGreaterThan(7)
})

describe('the search', () => {
  it.each(faults)('finds the violation if a guard is missing: $guard', ({ world, decisions, breaks }) => {
    const explorer = new Explorer(worldNamed(world), decisions)
    const { violation } = explorer.explore(bounds)
    expect(violation?.problem).toContain(breaks)
    if (violation === null) return
    const trace = traceOf(explorer, violation)
    expect(replay(new Explorer(worldNamed(world), decisions), trace).problem).toBe(violation.problem)
  })

  it('numbers tuples in the order of their addition', () => {
    const table = new TupleTable(2)
    const tuple = new Int32Array(2)
    const added = (first: number, second: number): number => {
      tuple.set([first, second])
      return table.add(tuple)
    }
    const count = 100_000
    for (let index = 0; index < count; index += 1) added(index % 317, index)
    expect(table.size).toBe(count)
    expect(added(70_000 % 317, 70_000)).toBe(70_000)
    expect(added(1, -1)).toBe(count)
    table.read(70_001, tuple)
    expect([...tuple]).toEqual([70_001 % 317, 70_001])
  })
})

const recorded = new URL('traces/', import.meta.url)
const traces = readdirSync(recorded).map((file) => {
  return [file, JSON.parse(readFileSync(new URL(file, recorded), 'utf8')) as Trace] as const
})

describe('the trace of an earlier violation', () => {
  it.each(traces)('%s no longer breaks an invariant', (_file, trace) => {
    expect(replay(new Explorer(worldNamed(trace.world)), trace)).toEqual({
      followed: trace.followed,
      problem: null,
    })
  })
})
