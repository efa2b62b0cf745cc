/** @import { Triage } from '../state/shapes.js' */
import { agoText, momentText } from '../state/formats.js'
import { html } from './html.js'

/**
 * What operators have said about a problem: who looks after it, the note, and until when it is hidden.
 *
 * @param {{ told: Triage }} props
 */
export function TriageNote({ told: { assignee, note, snoozedUntil, by, at } }) {
  const now = Date.now()
  const isHidden = snoozedUntil !== null && Date.parse(snoozedUntil) > now
  return html`<span class="told">
    ${assignee === null ? null : html`<b><bdi>${assignee}</bdi></b> looks after it. `}
    ${isHidden ? html`<span class="badge">hidden until ${momentText(snoozedUntil, now)}</span> ` : null}
    ${note === null ? null : html`<q><bdi>${note}</bdi></q> `}
    <span class="quiet">said by <bdi>${by}</bdi> ${agoText(at, now)}</span>
  </span>`
}

/**
 * Returns the values with which the dialog of a triage begins.
 *
 * @param {Triage | null | undefined} told
 * @returns {Record<string, string>}
 */
export function triageValues(told) {
  return {
    ...(told?.assignee ? { assign: told.assignee } : {}),
    ...(told?.note ? { note: told.note } : {}),
  }
}
