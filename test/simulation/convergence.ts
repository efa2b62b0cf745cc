import { seededRandom } from '../../src/platform/index.js'
import { dotnetConvergence, type Convergence } from './dotnet-rule.js'
import { defaultIntervals, fleetOf } from './fleet.js'

/** One line of the table: our processors and .NET's rule from the same start. */
export interface Comparison {
  readonly leaseCount: number
  readonly hostCount: number
  /** The start: one host owns everything when the others start. */
  readonly ours: Convergence
  readonly dotnet: Convergence
  /** The start: all hosts start together, and no lease has an owner. */
  readonly oursFromNothing: Convergence
}

/** The number of acquire intervals after which a fleet counts as not converging. */
const patience = 60

export async function compare(hostCount: number, leaseCount: number): Promise<Comparison> {
  return {
    leaseCount,
    hostCount,
    ours: await ourConvergence(hostCount, leaseCount, 'joining one'),
    dotnet: dotnetConvergence(hostCount, leaseCount, seededRandom(1)),
    oursFromNothing: await ourConvergence(hostCount, leaseCount, 'together'),
  }
}

async function ourConvergence(
  hostCount: number,
  leaseCount: number,
  start: 'joining one' | 'together',
): Promise<Convergence> {
  const { world, unit, computers, ownership, isBalanced } = fleetOf({ seed: 1, hostCount, leaseCount })
  const [first, ...others] = computers
  if (first === undefined) throw new RangeError('a fleet has a host')
  unit.start(first)
  if (start === 'joining one') await world.runUntil(isBalanced, patience * defaultIntervals.acquireMs)
  const [startedAtMs, earlierMoves] = [world.time.monotonic(), ownership.moves.length]
  for (const computer of others) unit.start(computer)
  let [seenMoves, isOver] = [-1, false]
  // Checked after every timer. Only a change of owner can have changed the answer.
  const isReachedNow = (): boolean => {
    if (ownership.moves.length !== seenMoves) isOver = isBalanced()
    seenMoves = ownership.moves.length
    return isOver
  }
  const isReached = await world.runUntil(isReachedNow, patience * defaultIntervals.acquireMs)
  if (!isReached) throw new Error(`${hostCount} hosts with ${leaseCount} leases do not come to rest`)
  const cycles = (world.time.monotonic() - startedAtMs) / defaultIntervals.acquireMs
  return { cycles, moves: ownership.moves.length - earlierMoves }
}

/** Formats the results as a table. */
export function tableOf(comparisons: readonly Comparison[]): string {
  const cell = ({ cycles, moves }: Convergence): string => `${cycles.toFixed(1)} / ${moves}`
  return [
    '| leases × hosts | ours, joining one that has all | .NET, the same | ours, starting together |',
    '| --- | --- | --- | --- |',
    ...comparisons.map(
      ({ leaseCount, hostCount, ours, dotnet, oursFromNothing }) =>
        `| ${leaseCount} × ${hostCount} | ${cell(ours)} | ${cell(dotnet)} | ${cell(oursFromNothing)} |`,
    ),
    'Acquire intervals until balanced / changes of owner.',
  ].join('\n')
}
