/** @import { Step } from '../state/shapes.js' */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { html } from '../parts/html.js'
import { marks } from '../parts/basics.js'
import { address, addressOf, open } from '../state/address.js'
import { lookOf, nodeSize, placed } from '../state/graph-layout.js'

/** A narrow window shows the graph from top to bottom. */
const narrow = matchMedia('(max-width: 700px)')

/**
 * The plan of a job. Each step is a link that shows the step.
 *
 * @param {{ steps: Step[], chosen: string | null }} props
 */
export function JobGraph({ steps, chosen }) {
  const [isNarrow, setNarrow] = useState(narrow.matches)
  useEffect(() => {
    const look = () => setNarrow(narrow.matches)
    narrow.addEventListener('change', look)
    return () => narrow.removeEventListener('change', look)
  }, [])
  const shape = JSON.stringify(steps.map(({ stepId, dependsOn }) => [stepId, dependsOn]))
  const { nodes, edges, width, height } = useMemo(
    () => placed(steps, isNarrow ? 'TB' : 'LR'),
    [shape, isNarrow],
  )
  const byId = new Map(steps.map((step) => [step.stepId, step]))
  return html`<div class="graph" tabindex="0" role="group" aria-label="The steps and what they wait for">
    <svg width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`}>
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 L8 4 L0 8 z" class="arrow" />
        </marker>
      </defs>
      ${edges.map(
        ({ from, to, points }) =>
          html`<path key=${`${from} ${to}`} class="edge" d=${lineOf(points)} marker-end="url(#arrow)" />`,
      )}
      ${nodes.map(({ stepId, x, y }) => {
        const step = byId.get(stepId)
        return step === undefined
          ? null
          : html`<${Node} key=${stepId} step=${step} x=${x} y=${y} isChosen=${stepId === chosen} />`
      })}
    </svg>
  </div>`
}

/** @param {{ step: Step, x: number, y: number, isChosen: boolean }} props */
function Node({ step, x, y, isChosen }) {
  const { stepId, actor, action, kind, asks } = step
  const { state, isHeld, failures, said } = lookOf(step)
  const { width, height } = nodeSize
  const { query } = address.value
  const to = addressOf('/job', { ...Object.fromEntries(query), step: stepId })
  const what = kind === 'operation' ? `${actor}.${action}` : asks ? 'question' : kind
  return html`<a
    href=${to}
    class=${`node state-${state.toLowerCase()} ${isHeld ? 'is-held' : ''} ${isChosen ? 'is-chosen' : ''}`}
    aria-current=${isChosen ? 'true' : undefined}
    aria-label=${`step ${stepId}, ${said}${failures}`}
    transform=${`translate(${x - width / 2} ${y - height / 2})`}
    onClick=${(/** @type {MouseEvent} */ event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      open(to, true)
    }}
  >
    <title>${stepId}: ${said}${failures}</title>
    <rect width=${width} height=${height} rx="8" />
    <text x="12" y="20" class="node-name">${clipped(`${isHeld ? '!' : (marks[state] ?? '?')} ${stepId}`, '600 14px')}</text>
    <text x="12" y="37" class="node-what">${clipped(`${what}${failures}`, '12px')}</text>
  </a>`
}

/** Measures texts. It draws nothing. */
const pen = document.createElement('canvas').getContext('2d')

/** The widest text in a node, in pixels. */
const widest = nodeSize.width - 20

/**
 * Returns a text, or as much of its beginning as a node has room for.
 *
 * @param {string} text
 * @param {string} font the weight and size, as in the style of the page
 */
function clipped(text, font) {
  if (pen === null) return text
  pen.font = `${font} ${getComputedStyle(document.body).fontFamily}`
  const { width } = pen.measureText(text)
  if (width <= widest) return text
  let length = Math.ceil((text.length * widest) / width)
  while (length > 1 && pen.measureText(`${text.slice(0, length)}…`).width > widest) length -= 1
  return `${text.slice(0, length)}…`
}

/** @param {{ x: number, y: number }[]} points */
function lineOf(points) {
  const places = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)
  const [first = '0 0', ...rest] = places
  return `M${first} ${rest.map((place) => `L${place}`).join(' ')}`
}
