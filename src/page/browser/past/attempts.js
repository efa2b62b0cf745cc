/** @import { Job, Step } from '../state/shapes.js' */
import { useState } from 'preact/hooks'
import { JsonBox, Problem } from '../parts/basics.js'
import { DifferenceList } from '../parts/difference-list.js'
import { html } from '../parts/html.js'
import { addressOf } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { durationText, momentText, unitsText } from '../state/formats.js'

/**
 * @typedef {{ attempt: number, direction: 'do' | 'undo', generation: number, round: number | null,
 *   from: string | null, to: string | null, by: string | null,
 *   outcome: 'success' | 'failed' | 'permanent' | 'noAnswer' | null, input: unknown, output: unknown,
 *   error: string | null }} Attempt
 *
 * @typedef {{ source: 'versions' | 'record', note: string | null, attempts: Attempt[], charge: number }} Attempts
 */

/** The most attempts that the table lists. All of them can be compared. */
const mostListed = 50

const outcomes = /** @type {const} */ ({
  success: 'succeeded',
  failed: 'failed',
  permanent: 'failed for good',
  noAnswer: 'gave no answer in time',
})

/**
 * The attempts of a step side by side. Nothing is read before a person opens the panel, because the history of a job
 * costs request units.
 *
 * @param {{ job: Job, step: Step }} props
 */
export function AttemptsPanel({ job: { jobId, partitionKey }, step: { stepId } }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Attempts>} */ (
    useLoaded(isOpen ? addressOf('/api/attempts', { jobId, partitionKey, step: stepId }) : null)
  )
  return html`<details
    class="panel documents attempts-panel"
    onToggle=${(/** @type {{ currentTarget: HTMLDetailsElement }} */ event) => setOpen(event.currentTarget.open)}
  >
    <summary><h2>${`Attempts of ${stepId} side by side`}</h2></summary>
    <${Problem} error=${error} />
    ${
      data === null
        ? isOpen && error === null
          ? html`<p class="quiet">…</p>`
          : null
        : html`${data.note === null ? null : html`<p class="note">${data.note}</p>`}
            <p class="quiet">${`From ${data.source === 'versions' ? 'the versions that the store keeps' : 'the record of the step'}. Read for ${unitsText(data.charge)} RU.`}</p>
            <p class="buttons start"><button type="button" onClick=${reload}>Read again</button></p>
            ${
              data.attempts.length === 0
                ? html`<p class="quiet">No attempt has begun.</p>`
                : html`<${Table} attempts=${data.attempts} /><${Compared} attempts=${data.attempts} />`
            }`
    }
  </details>`
}

/** @param {{ attempts: readonly Attempt[] }} props */
function Table({ attempts }) {
  const now = Date.now()
  const listed = attempts.slice(-mostListed)
  return html`<div class="scrolled" tabindex="0" role="region" aria-label="Attempts">
    <table>
      <thead>
        <tr>
          <th>Attempt</th>
          <th>Began</th>
          <th>Took</th>
          <th>By</th>
          <th>Outcome</th>
        </tr>
      </thead>
      <tbody>
        ${listed.map(
          (one) =>
            html`<tr>
              <td>${nameOf(one)}</td>
              <td class="time">${one.from === null ? 'not known' : momentText(one.from, now)}</td>
              <td class="time">${tookText(one)}</td>
              <td><bdi>${one.by ?? ''}</bdi></td>
              <td>
                <span class=${one.outcome === 'success' ? 'good' : one.outcome === null ? '' : 'bad'}
                  >${one.outcome === null ? 'under way' : outcomes[one.outcome]}</span
                >${one.error === null ? '' : html`<br /><bdi>${one.error}</bdi>`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/**
 * Two attempts beside each other, and the parts in which they differ.
 *
 * @param {{ attempts: readonly Attempt[] }} props
 */
function Compared({ attempts }) {
  const last = attempts.length - 1
  const [chosen, setChosen] = useState(
    /** @type {{ left: number | null, right: number | null }} */ ({ left: null, right: null }),
  )
  const [left, right] = [chosen.left ?? Math.max(0, last - 1), chosen.right ?? last]
  const [one, other] = [attempts[left], attempts[right]]
  if (one === undefined || other === undefined) return null
  const field = (
    /** @type {'left' | 'right'} */ side,
    /** @type {string} */ label,
    /** @type {number} */ value,
  ) =>
    html`<label
      >${label}
      <select
        name=${`attempt-${side}`}
        onChange=${(/** @type {any} */ event) => setChosen({ ...chosen, [side]: Number(event.currentTarget.value) })}
      >
        ${attempts.map((each, place) => html`<option value=${place} selected=${place === value}>${nameOf(each)}</option>`)}
      </select></label
    >`
  return html`<div class="filters">${field('left', 'Compare', left)}${field('right', 'with', right)}</div>
    <h3>Differences</h3>
    <${DifferenceList} left=${comparable(one)} right=${comparable(other)} />
    <div class="side-by-side">
      <${JsonBox} title=${`Input of ${nameOf(one)}`} value=${one.input} />
      <${JsonBox} title=${`Input of ${nameOf(other)}`} value=${other.input} />
      <${JsonBox} title=${`Output of ${nameOf(one)}`} value=${one.output} />
      <${JsonBox} title=${`Output of ${nameOf(other)}`} value=${other.output} />
    </div>`
}

/** @param {Attempt} attempt */
function comparable({ input, output, error, by, outcome }) {
  return { input, output, error, by, outcome }
}

/** @param {Attempt} attempt */
function nameOf({ attempt, direction, generation, round }) {
  const parts = [
    `${direction === 'undo' ? 'undo attempt' : 'attempt'} ${attempt}`,
    ...(round === null ? [] : [`round ${round}`]),
    ...(generation > 1 ? [`generation ${generation}`] : []),
  ]
  return parts.join(', ')
}

/** @param {Attempt} attempt */
function tookText({ from, to }) {
  return from === null || to === null ? '' : durationText(Math.max(0, Date.parse(to) - Date.parse(from)))
}
