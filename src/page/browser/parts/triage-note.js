/** @import { Found, Triage } from '../state/shapes.js' */
import { useEffect } from 'preact/hooks'
import { agoText, momentText, untilText } from '../state/formats.js'
import { html } from './html.js'

/** The longest delay that `setTimeout` of a browser accepts. */
const longestMs = 2 ** 31 - 1
const shortestMs = 1_000

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
    ${isHidden ? html`<span class="badge">hidden until ${momentText(snoozedUntil, now)}, ${untilText(snoozedUntil, now).replace(/^in /u, 'for ')}</span> ` : null}
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

/**
 * Reads problems again when the first snooze among them ends. A snooze ends without a write, so no change reports it.
 * The server says how long that is, because the clock of this machine may be wrong.
 *
 * @param {import('../state/api.js').Loaded<Found>} loaded
 */
export function useSnoozeEnd({ data, reload }) {
  useEffect(() => {
    const inMs = data?.nextSnoozeInMs ?? null
    if (inMs === null) return undefined
    const timer = setTimeout(reload, Math.min(longestMs, Math.max(shortestMs, inMs)))
    return () => clearTimeout(timer)
  }, [data, reload])
}
