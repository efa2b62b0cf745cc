/** @import { Pauses } from '../state/shapes.js' */
import { Link, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { pausedText } from './paused-text.js'

/**
 * A line about pauses, because paused work looks like work that is slow.
 *
 * @param {{ pauses: Pauses | null, error: string | null }} props
 */
export function PausedLine({ pauses, error }) {
  const text = pauses === null ? null : pausedText(pauses)
  return html`<${Problem} error=${error} />
    ${text === null ? null : html`<p class="why"><${Link} to="/pauses"><bdi>${text}</bdi><//></p>`}`
}
