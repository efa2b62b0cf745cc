/** @import { Kind } from '../state/action-kinds.js' */
/** @import { Limit } from '../state/shapes.js' */
import { ActionButtons } from '../parts/action-buttons.js'
import { asked } from '../parts/action-dialog.js'
import { html } from '../parts/html.js'
import { Link, Problem } from '../parts/basics.js'
import { addressOf, jobAddress } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { counted, momentText } from '../state/formats.js'
import { useInterval } from '../state/live.js'

/** The changes of limits are not pushed, so they are read again while the view is visible. */
const intervalMs = 5_000

/** The most steps and groups that are named for one limit. */
const mostNamed = 5

/** The limits that steps share: how many are at work, and how many wait. */
export function LimitsView() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Limit[]>} */ (
    useLoaded('/api/limits')
  )
  useInterval(reload, intervalMs)
  return html`<h1>Limits</h1>
    <${Problem} error=${error} />
    <div class="buttons start">
      <button
        type="button"
        onClick=${() => {
          asked.value = { kind: 'limit set', onDone: reload }
        }}
      >
        Set a limit that is not listed
      </button>
    </div>
    ${
      data === null
        ? html`<p class="quiet">…</p>`
        : data.length === 0
          ? html`<p class="quiet empty">No step has come to a limit today.</p>`
          : html`<p class="quiet">
                <${Link} to=${addressOf('/jobs', { waitingFor: 'limit' })}>jobs that wait at a limit<//>
              </p>
              <${Table} limits=${data} reload=${reload} />`
    }`
}

/** @param {{ limits: Limit[], reload: () => void }} props */
function Table({ limits, reload }) {
  return html`<table class="wide limits">
    <thead>
      <tr>
        <th>Limit</th>
        <th>At work</th>
        <th>Rate</th>
        <th class="right">Waiting</th>
        <th>Steps at work</th>
        <th>Groups that wait</th>
        <th>Set by</th>
        <th><span class="sr-only">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${limits.map(
        (limit) =>
          html`<tr key=${limit.key}>
            <td><b class="id">${limit.key}</b></td>
            <td class=${limit.atOnce === 0 ? 'bad' : ''} data-before="at work">${insideText(limit)}</td>
            <td data-before="rate">${rateText(limit)}</td>
            <td class="right" data-label="waiting">${limit.waiting}</td>
            <td>
              ${limit.inside
                .slice(0, mostNamed)
                .map(
                  ({ jobId, stepId }) =>
                    html`<${Link} to=${jobAddress({ jobId })} class="id">${jobId}<//> <bdi class="quiet">${stepId}</bdi> `,
                )}${othersText(limit.inside.length)}
            </td>
            <td>
              ${limit.groups
                .filter(({ group }) => group !== '')
                .slice(0, mostNamed)
                .map(
                  ({ group, waiting }) => html`<bdi>${group}</bdi> <span class="quiet">${waiting}</span> `,
                )}${othersText(limit.groups.length)}
            </td>
            <td data-before="set by">${limit.set === null ? 'the workflow' : html`<${SetBy} set=${limit.set} />`}</td>
            <td><${Actions} limit=${limit} reload=${reload} /></td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** @param {{ limit: Limit, reload: () => void }} props */
function Actions({ limit, reload }) {
  const { key, set, atOnce, isPaused } = limit
  const setting = /** @type {Kind[]} */ (isPaused ? [] : ['limit set'])
  const kinds = /** @type {Kind[]} */ (set === null ? setting : [...setting, 'limit clear'])
  // If the workflow itself sets the number to 0, an operator has no pause to end.
  const ofPause = /** @type {Kind[]} */ (atOnce !== 0 ? ['pause'] : set === null ? [] : ['resume'])
  return html`<${ActionButtons} kinds=${kinds} about=${{ limit: key, present: numbersOf(limit), onDone: reload }} />
    <${ActionButtons} kinds=${ofPause} about=${{ target: { what: 'key', name: key }, onDone: reload }} />`
}

/** @param {{ set: NonNullable<Limit['set']> }} props */
function SetBy({ set: { by, at, why } }) {
  return html`<bdi>${by}</bdi> <span class="quiet">${momentText(at, Date.now())}</span> <bdi>${why}</bdi>`
}

/** @param {Limit} limit */
function insideText({ inside, atOnce }) {
  if (atOnce === null) return 'no limit'
  return atOnce === 0 ? `${inside.length}, paused` : `${inside.length} of ${atOnce}`
}

/**
 * Returns the numbers in force, as the dialog shows them.
 *
 * @param {Limit} limit
 * @returns {Record<string, string>}
 */
function numbersOf({ atOnce, perSecond, burst }) {
  const known = Object.entries({ atOnce, perSecond, burst }).filter(([, number]) => number !== null)
  return Object.fromEntries(known.map(([name, number]) => [name, String(number)]))
}

/** @param {Limit} limit */
function rateText({ perSecond, burst }) {
  if (perSecond === null) return 'no limit'
  return burst === null ? `${perSecond} a second` : `${perSecond} a second, burst ${burst}`
}

/** @param {number} count */
function othersText(count) {
  return count > mostNamed
    ? html`<span class="quiet">and ${counted(count - mostNamed, 'other', 'others')}</span>`
    : null
}
