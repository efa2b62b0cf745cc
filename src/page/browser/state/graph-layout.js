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
  const graph = new Graph()
  graph.setGraph({
    rankdir: direction,
    nodesep: 16,
    ranksep: 40,
    ranker: 'tight-tree',
    marginx: 8,
    marginy: 8,
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
