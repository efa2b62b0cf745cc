/** @import { Look } from '../state/heat.js' */
import { counted, durationText } from '../state/formats.js'
import { heatOf, heatRows } from '../state/heat.js'
import { html } from './html.js'

/**
 * The lag and the hand-overs of each lease over the time that the view is open. The words of each row say the same as its colours.
 *
 * @param {{ looks: readonly Look[] }} props
 */
export function HeatMap({ looks }) {
  const [first] = looks
  if (first === undefined) return html`<p class="quiet">…</p>`
  const forMs = (looks.at(-1)?.at ?? first.at) - first.at
  return html`<p class="quiet">
      ${`The number of changes behind, from ${durationText(forMs)} ago to now. A stronger colour means more: from 1, 10, 50, 200 and 1,000 on. A ring marks a hand-over to another instance.`}
    </p>
    <ul class="heat">
      ${heatRows(looks).map(
        ({ key, cells, most, handOvers }) =>
          html`<li key=${key}>
            <span class="heat-name">${key}</span>
            <span class="heat-cells" role="img" aria-label=${`at most ${most} behind, now ${cells.at(-1)?.lag ?? 'unknown'}${handed(handOvers)}`}>
              ${cells.map(
                ({ lag, newOwner }) =>
                  html`<i
                    class=${`heat-${heatOf(lag)}${newOwner === null ? '' : ' handed-over'}`}
                    title=${`${lag ?? 'unknown'}${newOwner === null ? '' : `, handed over to ${newOwner}`}`}
                  ></i>`,
              )}
            </span>
            <span class="quiet">${`at most ${most}${handed(handOvers)}`}</span>
          </li>`,
      )}
    </ul>`
}

/** @param {number} handOvers */
function handed(handOvers) {
  return handOvers === 0 ? '' : `, ${counted(handOvers, 'hand-over', 'hand-overs')}`
}
