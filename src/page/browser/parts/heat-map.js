/** @import { Look } from '../state/heat.js' */
import { durationText } from '../state/formats.js'
import { heatOf, heatRows } from '../state/heat.js'
import { html } from './html.js'

/**
 * The lag of each lease over the time that the view is open. The words of each row say the same as its colours.
 *
 * @param {{ looks: readonly Look[] }} props
 */
export function HeatMap({ looks }) {
  const [first] = looks
  if (first === undefined) return html`<p class="quiet">…</p>`
  const forMs = (looks.at(-1)?.at ?? first.at) - first.at
  return html`<p class="quiet">
      ${`Changes behind, from ${durationText(forMs)} ago to now. A stronger colour is more: 1, 10, 50, 200, 1,000.`}
    </p>
    <ul class="heat">
      ${heatRows(looks).map(
        ({ key, lags, most }) =>
          html`<li key=${key}>
            <span class="heat-name">${key}</span>
            <span class="heat-cells" role="img" aria-label=${`at most ${most} behind, now ${lags.at(-1) ?? 'unknown'}`}>
              ${lags.map((lag) => html`<i class=${`heat-${heatOf(lag)}`} title=${lag ?? 'unknown'}></i>`)}
            </span>
            <span class="quiet">at most ${most}</span>
          </li>`,
      )}
    </ul>`
}
