import { Graph, layout } from '@dagrejs/dagre'

/**
 * @typedef {{ stepId: string, x: number, y: number }} Node
 *
 * @typedef {{ from: string, to: string, points: { x: number, y: number }[] }} Edge
 *
 * @typedef {{ nodes: Node[], edges: Edge[], width: number, height: number }} Layout
 */

/** The size of a step in the graph, in pixels. */
export const nodeSize = { width: 176, height: 48 }

/**
 * Places the steps of a job and the lines between them.
 *
 * @param {{ stepId: string, dependsOn: string[] }[]} steps
 * @param {'LR' | 'TB'} direction from left to right, or from top to bottom
 * @returns {Layout}
 */
export function placed(steps, direction) {
  return steps.length > mostWithCare ? placedInRanks(steps, direction) : placedWithCare(steps, direction)
}

/** The largest number of steps for which the library is fast. 1,000 steps take it more than a second. */
const mostWithCare = 250
const [gap, rankGap, margin] = [16, 40, 8]

/**
 * Places many steps: each one rank behind the last step that it waits for, and near the steps that it waits for. Lines are
 * straight, and pass behind the steps of ranks between.
 *
 * @param {{ stepId: string, dependsOn: string[] }[]} steps
 * @param {'LR' | 'TB'} direction
 * @returns {Layout}
 */
function placedInRanks(steps, direction) {
  const ranks = ranksOf(steps)
  const most = Math.max(...ranks.map((rank) => rank.length))
  const isAcross = direction === 'LR'
  const [along, across] = isAcross
    ? [nodeSize.width + rankGap, nodeSize.height + gap]
    : [nodeSize.height + rankGap, nodeSize.width + gap]
  /** @type {Map<string, { x: number, y: number }>} */
  const places = new Map()
  ranks.forEach((rank, number) =>
    rank.forEach(({ stepId }, index) => {
      const [forth, aside] = [number * along, (index + (most - rank.length) / 2) * across]
      const [x, y] = isAcross ? [forth, aside] : [aside, forth]
      places.set(stepId, { x: margin + nodeSize.width / 2 + x, y: margin + nodeSize.height / 2 + y })
    }),
  )
  const [halfX, halfY] = isAcross ? [nodeSize.width / 2, 0] : [0, nodeSize.height / 2]
  const all = [...places.values()]
  return {
    width: Math.max(...all.map(({ x }) => x)) + nodeSize.width / 2 + margin,
    height: Math.max(...all.map(({ y }) => y)) + nodeSize.height / 2 + margin,
    nodes: steps.map(({ stepId }) => ({ stepId, ...(places.get(stepId) ?? { x: 0, y: 0 }) })),
    edges: steps.flatMap(({ stepId, dependsOn }) =>
      dependsOn.flatMap((before) => {
        const [from, to] = [places.get(before), places.get(stepId)]
        if (from === undefined || to === undefined) return []
        const points = [
          { x: from.x + halfX, y: from.y + halfY },
          { x: to.x - halfX, y: to.y - halfY },
        ]
        return [{ from: before, to: stepId, points }]
      }),
    ),
  }
}

/**
 * Returns the steps by the length of the longest way to them. In a rank, they are in the order of the steps that they
 * wait for, so that few lines cross.
 *
 * @template {{ stepId: string, dependsOn: string[] }} S
 * @param {S[]} steps
 * @returns {S[][]}
 */
function ranksOf(steps) {
  const left = new Map(steps.map((step) => [step.stepId, step]))
  /** @type {Map<string, number>} the middle of the places of a step's predecessors, as a share of their rank */
  const places = new Map()
  /** @type {S[][]} */
  const ranks = []
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ dependsOn }) => !dependsOn.some((id) => left.has(id)))
    // A plan has no cycle. If the documents say otherwise, the rest is shown in one rank.
    const rank = ready.length === 0 ? [...left.values()] : ready
    const wished = rank.map((step) => {
      const known = step.dependsOn.flatMap((id) => places.get(id) ?? [])
      return { step, at: known.reduce((sum, at) => sum + at, 0) / Math.max(1, known.length) }
    })
    wished.sort((one, other) => one.at - other.at)
    wished.forEach(({ step }, index) => places.set(step.stepId, (index + 0.5) / wished.length))
    for (const { stepId } of rank) left.delete(stepId)
    ranks.push(wished.map(({ step }) => step))
  }
  return ranks
}

/**
 * @param {{ stepId: string, dependsOn: string[] }[]} steps
 * @param {'LR' | 'TB'} direction
 * @returns {Layout}
 */
function placedWithCare(steps, direction) {
  const graph = new Graph()
  graph.setGraph({
    rankdir: direction,
    nodesep: gap,
    ranksep: rankGap,
    ranker: 'tight-tree',
    marginx: margin,
    marginy: margin,
  })
  graph.setDefaultEdgeLabel(() => ({}))
  const known = new Set(steps.map(({ stepId }) => stepId))
  for (const { stepId } of steps) graph.setNode(stepId, { ...nodeSize })
  for (const { stepId, dependsOn } of steps) {
    for (const before of dependsOn) if (known.has(before)) graph.setEdge(before, stepId)
  }
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    width: Math.max(width, nodeSize.width),
    height: Math.max(height, nodeSize.height),
    nodes: steps.map(({ stepId }) => {
      const { x = 0, y = 0 } = graph.node(stepId)
      return { stepId, x, y }
    }),
    edges: graph.edges().map((/** @type {{ v: string, w: string }} */ edge) => ({
      from: edge.v,
      to: edge.w,
      points: graph.edge(edge).points ?? [],
    })),
  }
}

/**
 * Returns how the plan shows a step. A parked step waits for an operator, and not for its turn. A failed undo is no
 * failure of the step itself.
 *
 * @param {Pick<import('./shapes.js').Step, 'state' | 'direction' | 'failureCount' | 'attention'>} step
 */
export function lookOf({ state, direction, failureCount, attention }) {
  const isHeld = attention?.kind === 'parked'
  const what = direction === 'undo' ? 'undo failed' : 'failed'
  const failures = failureCount > 0 ? `, ${what} ${failureCount}×` : ''
  return { state, isHeld, failures, said: isHeld ? `${state}, parked` : state }
}
