/** @import { Kind } from '../state/action-kinds.js' */
/** @import { Asked } from './action-dialog.js' */
/** @import { Job } from '../state/shapes.js' */
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

/**
 * Returns the action that begins or ends the pause of a job. A job that is paused with its workflow or agent cannot be
 * resumed alone.
 *
 * @param {Job} job
 */
export function pauseOrResume({ paused, state }) {
  if (paused !== null) return paused.with === undefined ? { kind: 'resume', name: 'Resume', steps: [] } : null
  const isOver = state === 'Processed' || state === 'Compensated' || state === 'Error'
  return isOver ? null : { kind: 'pause', name: 'Pause', steps: [] }
}

/**
 * Checks whether a job can be cancelled. A job that is undone for good cannot, also after an undo has failed.
 *
 * @param {Job} job
 */
export function mayBeCancelled({ state, restartedAs, compensation }) {
  const isEnded = state === 'Processed' || state === 'Compensated'
  return !isEnded && restartedAs === null && compensation?.thenRetry !== false
}

/**
 * Returns the steps that a release lets continue.
 *
 * @param {Job} job
 */
export function heldSteps({ steps }) {
  return steps
    .filter(({ attention }) => attention?.kind === 'parked' || attention?.kind === 'extendedWait')
    .map(({ stepId }) => stepId)
}
