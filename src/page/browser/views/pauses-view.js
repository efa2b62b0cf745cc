/** @import { JobSummary, Pause, Pauses } from '../state/shapes.js' */
import { ActionButtons } from '../parts/action-buttons.js'
import { asked } from '../parts/action-dialog.js'
import { Link, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { addressOf, jobAddress } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { agoText } from '../state/formats.js'
import { useInterval } from '../state/live.js'

/** Pauses of workflows and agents are not pushed, so they are read again while the view is visible. */
const intervalMs = 5_000

/** What is paused: workflows, agents, keys of limits and jobs, with who decided it, when and why. */
export function PausesView() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Pauses>} */ (
    useLoaded('/api/pauses')
  )
  useInterval(reload, intervalMs)
  return html`<h1>Pauses</h1>
    <${Problem} error=${error} />
    <div class="buttons start">
      <button
        type="button"
        onClick=${() => {
          asked.value = { kind: 'pause', target: { what: '', name: '' }, onDone: reload }
        }}
      >
        Pause a workflow, an agent or a key
      </button>
    </div>
    ${data === null ? html`<p class="quiet">…</p>` : html`<${Lists} found=${data} reload=${reload} />`}`
}

/** @param {{ found: Pauses, reload: () => void }} props */
function Lists({ found: { paused, jobs, isCut }, reload }) {
  if (paused.length + jobs.length === 0) return html`<p class="quiet empty">Nothing is paused.</p>`
  return html`${paused.length === 0 ? null : html`<${Targets} paused=${paused} reload=${reload} />`}
  ${
    jobs.length === 0
      ? null
      : html`<h2>Jobs</h2>
          <${Jobs} jobs=${jobs} reload=${reload} />`
  }
  ${isCut ? html`<p class="quiet">There are more paused jobs. "stepward pauses --limit" lists more of them.</p>` : null}`
}

/** @param {{ paused: Pause[], reload: () => void }} props */
function Targets({ paused, reload }) {
  const now = Date.now()
  return html`<table class="wide pauses">
    <thead>
      <tr>
        <th>Paused</th>
        <th>Name</th>
        <th>Since</th>
        <th>By</th>
        <th>Why</th>
        <th><span class="sr-only">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${paused.map(
        ({ kind, name, since, by, why }) =>
          html`<tr key=${`${kind} ${name}`}>
            <td>${kind}</td>
            <td>
              ${kind === 'workflow' ? html`<${Link} to=${addressOf('/jobs', { workflow: name })} class="id">${name}<//>` : html`<b class="id">${name}</b>`}
            </td>
            <td title=${since}>${agoText(since, now)}</td>
            <td data-before="by"><bdi>${by}</bdi></td>
            <td><bdi>${why}</bdi></td>
            <td><${ActionButtons} kinds=${['resume']} about=${{ target: { what: kind, name }, onDone: reload }} /></td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** @param {{ jobs: JobSummary[], reload: () => void }} props */
function Jobs({ jobs, reload }) {
  const now = Date.now()
  return html`<table class="wide pauses">
    <thead>
      <tr>
        <th>Job</th>
        <th>Workflow</th>
        <th>Since</th>
        <th>By</th>
        <th>Why</th>
        <th><span class="sr-only">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${jobs.map(({ jobId, partitionKey, workflow, paused }) =>
        paused === null
          ? null
          : html`<tr key=${`${partitionKey} ${jobId}`}>
              <td><${Link} to=${jobAddress({ jobId, partitionKey })} class="id">${jobId}<//></td>
              <td>${workflow}</td>
              <td title=${paused.since}>${agoText(paused.since, now)}</td>
              <td data-before="by"><bdi>${paused.by}</bdi></td>
              <td><bdi>${paused.with === undefined ? paused.why : `${paused.with.kind} ${paused.with.name}: ${paused.why}`}</bdi></td>
              <td>
                ${paused.with === undefined ? html`<${ActionButtons} kinds=${['resume']} about=${{ jobs: [{ jobId, partitionKey }], onDone: reload }} />` : null}
              </td>
            </tr>`,
      )}
    </tbody>
  </table>`
}
