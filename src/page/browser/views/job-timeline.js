/** @import { Job } from '../state/shapes.js' */
import { useState } from 'preact/hooks'
import { Link } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { address, addressOf } from '../state/address.js'
import { counted, durationText, momentText } from '../state/formats.js'
import { barsOf, timelineOf } from '../state/timeline.js'

/** The most rows that are drawn before a person asks for all. */
const mostRows = 60

/** The names of the kinds of time, in the order of the legend. */
const kinds = /** @type {const} */ ({
  waiting: 'waiting',
  running: 'running',
  backingOff: 'backing off',
  blocked: 'blocked at a limit',
  paused: 'paused',
  operator: 'needs an operator',
  undoing: 'undoing',
})

/**
 * What each step did, drawn as bars on one axis of time.
 *
 * @param {{ job: Job, chosen: string | null }} props
 */
export function Bars({ job, chosen }) {
  const [isWhole, setWhole] = useState(false)
  const now = Date.now()
  const { rows, startMs, endMs, isOpen } = barsOf(job, now)
  const shown = isWhole ? rows : rows.slice(0, mostRows)
  const seen = new Set(rows.flatMap(({ bars }) => bars.map(({ kind }) => kind)))
  if (rows.length === 0) return html`<p class="quiet">Nothing has begun.</p>`
  const { path, query } = address.value
  const to = (/** @type {string} */ step) => addressOf(path, { ...Object.fromEntries(query), step })
  return html`<ul class="bar-legend">
      ${Object.entries(kinds).map(([kind, name]) => (seen.has(kind) ? html`<li class=${kind}>${name}</li>` : null))}
    </ul>
    <ul class="bars">
      ${shown.map(
        ({ stepId, bars, texts }) =>
          html`<li class=${stepId !== null && stepId === chosen ? 'chosen' : ''}>
            <span class="name">${stepId === null ? 'the job' : html`<${Link} to=${to(stepId)}><bdi>${stepId}</bdi><//>`}</span>
            <span class="drawn">
              <svg width="100%" height="14" aria-hidden="true">
                ${bars.map(
                  ({ kind, isExact, left, width, title }) =>
                    html`<rect class=${`${kind}${isExact ? '' : ' inexact'}`} x=${`${left}%`} width=${`${width}%`} y="1" height="12" rx="2">
                      <title>${title}</title>
                    </rect>`,
                )}
              </svg>
              <span class="quiet"
                >${texts.map(({ what, length }, index) => html`${index === 0 ? '' : ' · '}<bdi>${what}</bdi>${`, ${length}`}`)}</span
              >
            </span>
          </li>`,
      )}
    </ul>
    ${
      shown.length === rows.length
        ? null
        : html`<p><button type="button" onClick=${() => setWhole(true)}>Show all ${counted(rows.length, 'row', 'rows')}</button></p>`
    }
    <p class="quiet">
      ${`From ${momentText(new Date(startMs).toISOString(), now)} to ${isOpen ? 'now' : momentText(new Date(endMs).toISOString(), now)}, ${durationText(endMs - startMs)}. `}
      ${rows.some(({ bars }) => bars.some(({ isExact }) => !isExact)) ? 'The beginning of a pale bar is not recorded. Such a bar may also contain a wait, a back-off or an attempt.' : null}
    </p>`
}

/** @param {{ job: Job }} props */
export function Timeline({ job }) {
  const moments = timelineOf(job)
  const start = Date.parse(moments[0]?.at ?? '')
  return html`<ol class="timeline">
    ${moments.map(
      ({ at, what, kind, stepId, detail, by }) =>
        html`<li class=${kind}>
          <time datetime=${at} title=${at}>+${durationText(Date.parse(at) - start)}</time>
          <span
            ><b>${stepId === null ? '' : `${stepId} `}</b
            >${what} <span class="quiet"><bdi>${detail}</bdi>${by === '' ? '' : ` (${by})`}</span></span
          >
        </li>`,
    )}
  </ol>`
}
