/** @import { Operation } from '../state/shapes.js' */
import { Link, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { addressOf } from '../state/address.js'
import { stopOperation, useLoaded } from '../state/api.js'
import { agoText, durationText } from '../state/formats.js'
import { useInterval } from '../state/live.js'

/** Operations are read again at this interval. They cost the store nothing. */
const intervalMs = 1_000

/** The actions on many jobs, with their progress. */
export function OperationsView() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Operation[]>} */ (
    useLoaded('/api/operations')
  )
  useInterval(reload, intervalMs)
  return html`<h1>Operations</h1>
    <p class="quiet">
      Actions on many jobs since this server was started. The <${Link} to="/audit">audit<//> shows each decision.
    </p>
    <${Problem} error=${error} />
    ${
      data === null
        ? html`<p class="quiet">…</p>`
        : data.length === 0
          ? html`<p class="quiet empty">No action on many jobs has begun. To begin one, choose jobs in the list of <${Link} to="/jobs">jobs<//>.</p>`
          : data.map((one) => html`<${Card} key=${one.id} one=${one} reload=${reload} />`)
    }`
}

const classes = { running: 'state-processing', done: 'state-processed', stopped: '', failed: 'state-error' }
const marks = { running: '▸', done: '✓', stopped: '■', failed: '✗' }

/** @param {{ one: Operation, reload: () => void }} props */
function Card({ one, reload }) {
  const { id, command, filter, by, startedAt, endedAt, state, reached, total, refused, message } = one
  const now = Date.now()
  return html`<article class="panel operation">
    <div class="panel-head">
      <h2>
        <span class=${`badge ${classes[state]}`}><span aria-hidden="true">${marks[state]}</span> ${state}</span> ${command}
      </h2>
      <span class="quiet"
        >begun ${agoText(startedAt, now)}${
          endedAt === null ? '' : `, took ${durationText(Date.parse(endedAt) - Date.parse(startedAt))}`
        }</span
      >
    </div>
    <p>
      by <bdi>${by}</bdi>${
        filter === null
          ? ', on jobs that were named'
          : html`, on <${Link} to=${addressOf('/jobs', filter)}>every job that matches<//>: <bdi>${filterText(filter)}</bdi>`
      }
    </p>
    <label class="progress"
      >${`${reached} of ${total ?? '?'}${refused === 0 ? '' : `, ${refused} refused`}`}
      <progress max=${total ?? 1} value=${reached}></progress
    ></label>
    <${Problem} error=${message === '' ? null : message} />
    ${
      state === 'running'
        ? html`<div class="buttons start">
            <button type="button" onClick=${() => stopOperation(id).then(reload, reload)}>Stop</button>
          </div>`
        : null
    }
  </article>`
}

/** @param {Record<string, string>} filter */
function filterText(filter) {
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  return parts.length === 0 ? 'no filter' : parts.join(', ')
}
