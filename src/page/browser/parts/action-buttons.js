/** @import { Kind } from '../state/action-kinds.js' */
/** @import { Asked } from './action-dialog.js' */
import { actionKinds } from '../state/action-kinds.js'
import { asked } from './action-dialog.js'
import { html } from './html.js'

/**
 * The buttons of actions on one schedule, limit or pause. Each opens the dialog of its action.
 *
 * @param {{ kinds: Kind[], about: Pick<Asked, 'jobs' | 'schedule' | 'limit' | 'target' | 'present' | 'onDone'> }} props
 */
export function ActionButtons({ kinds, about }) {
  return html`<div class="buttons start">
    ${kinds.map(
      (kind) =>
        html`<button
          type="button"
          onClick=${() => {
            asked.value = { kind, ...about }
          }}
        >
          ${actionKinds[kind].title}
        </button>`,
    )}
  </div>`
}
