/** @import { Kind } from '../state/action-kinds.js' */
/** @import { Report } from '../state/shapes.js' */
import { actionKinds } from '../state/action-kinds.js'
import { counted } from '../state/formats.js'
import { html } from './html.js'

/**
 * The report of an action: what accepted it, and what refused it.
 *
 * @param {{ kind: Kind, report: Report }} props
 */
export function ActionResult({ kind, report: { isDryRun, done, refused } }) {
  const { thing } = actionKinds[kind]
  const verb = isDryRun ? 'would accept this; nothing was written' : 'accepted this'
  return html`<div role="status" class="result">
    <p>
      ${`${counted(done.length, ...thing)} ${verb}${refused.length === 0 ? '.' : `, ${refused.length} refused:`}`}
    </p>
    ${
      refused.length === 0
        ? null
        : html`<ul>
            ${refused.slice(0, 100).map(({ jobId, reason }) => html`<li><bdi>${jobId}</bdi>: ${reason}</li>`)}
          </ul>`
    }
  </div>`
}
