/** @import { Job, Step } from '../state/shapes.js' */
import { Panel } from '../parts/basics.js'
import { DifferenceList } from '../parts/difference-list.js'
import { costRows } from '../parts/cost-rows.js'
import { html } from '../parts/html.js'
import { address, addressOf, open } from '../state/address.js'
import { comparable, firstCompared } from '../state/difference.js'
import { counted, momentText, unitsText } from '../state/formats.js'
import { undoPathOf } from '../state/undo-path.js'

/**
 * Which steps are undone or would be undone, in their order.
 *
 * @param {{ job: Job }} props
 */
export function UndoPath({ job }) {
  const rows = undoPathOf(job)
  const { compensation, restartedAs } = job
  // The newer job of the restart owns the undo.
  if (rows.length === 0 || restartedAs !== null) return null
  return html`<${Panel} title=${compensation === null ? 'If the job is undone' : 'Undo'}>
    ${
      compensation === null
        ? null
        : html`<p>
            <bdi>${compensation.reason}</bdi>
            <span class="quiet"
              >${` (${compensation.by}, ${momentText(compensation.since, Date.now())}${compensation.thenRetry ? '; then the job starts again' : ''})`}</span
            >
          </p>`
    }
    <ol class="undo-path">
      ${rows.map(
        ({ turn, stepId, operation, kind, what }) =>
          html`<li class=${kind}>
            <span class="turn">${turn ?? '–'}</span>
            <span
              ><b>${stepId}</b>${operation === null ? '' : ` by ${operation}`}
              <span class=${kind === 'failed' ? 'bad' : 'quiet'}> <bdi>${what}</bdi></span></span
            >
          </li>`,
      )}
    </ol>
    <p class="quiet">Steps with the same number are undone at the same time.</p>
  <//>`
}

/**
 * The difference between two values of a step, which the address names.
 *
 * @param {{ job: Job, step: Step }} props
 */
export function Difference({ job, step }) {
  const values = comparable(job, step)
  const { path, query } = address.value
  const [first, second] = firstCompared(values)
  const named = (/** @type {string} */ side, /** @type {string} */ usual) =>
    values.find(({ name }) => name === query.get(side)) ?? values.find(({ name }) => name === usual)
  const sides = { left: named('left', first), right: named('right', second) }
  const choose = (/** @type {string} */ side) => (/** @type {any} */ event) =>
    open(addressOf(path, { ...Object.fromEntries(query), [side]: event.currentTarget.value }), true)
  const field = (/** @type {'left' | 'right'} */ side, /** @type {string} */ label) =>
    html`<label
      >${label}
      <select name=${side} value=${sides[side]?.name} onChange=${choose(side)}>
        ${values.map(({ name }) => html`<option selected=${name === sides[side]?.name}>${name}</option>`)}
      </select></label
    >`
  return html`<${Panel} title=${`Difference in ${step.stepId}`}>
    <div class="filters">${field('left', 'Compare')}${field('right', 'with')}</div>
    <${DifferenceList} left=${sides.left?.value} right=${sides.right?.value} />
  <//>`
}

/**
 * The request units of the writes of a job, by step. Of a large job, the most expensive steps are listed.
 *
 * @param {{ job: Job }} props
 */
export function Costs({ job: { steps, cost } }) {
  const { rows, total } = costRows(steps, cost)
  const row = (/** @type {{ name: string, writes: number, charge: number }} */ { name, writes, charge }) =>
    html`<tr>
      <td><bdi>${name}</bdi></td>
      <td class="right">${writes}</td>
      <td class="right">${unitsText(charge)}</td>
    </tr>`
  return html`<${Panel} title="Cost by step">
    <table class="numbers">
      <thead>
        <tr>
          <th>document</th>
          <th class="right">writes</th>
          <th class="right">RU</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(row)}
      </tbody>
      <tfoot>
        ${row({ name: 'together', ...total })}
      </tfoot>
    </table>
    <p class="quiet">
      Computed from the number of attempts and the size of each document, with the prices of <code>stepward cost</code>. The
      store does not keep its charges.
    </p>
  <//>`
}

/**
 * The notices of a job, and whether they were sent.
 *
 * @param {{ job: Job }} props
 */
export function Notices({ job: { notices } }) {
  return html`<ul class="rows">
    ${notices.map(
      ({ seq, kind, receiver, sentAt, attention, failureCount }) =>
        html`<li>
          <b>${seq}. ${kind}</b> <span>${receiver}</span>
          <span class=${attention === null ? 'quiet' : 'bad'}
            >${sentAt !== null ? `sent ${momentText(sentAt, Date.now())}` : (attention?.message ?? `not sent yet, ${counted(failureCount, 'failure', 'failures')}`)}</span
          >
        </li>`,
    )}
  </ul>`
}
