/** @import { Question } from '../state/shapes.js' */
import { jobAddress } from '../state/address.js'
import { about } from '../state/about.js'
import { agoText, untilText } from '../state/formats.js'
import { asked } from './action-dialog.js'
import { Link } from './basics.js'
import { html } from './html.js'

/**
 * Opens the dialog that answers a question.
 *
 * @param {Question} question
 * @param {() => void} onDone
 */
function askForAnswer(question, onDone) {
  const { jobId, partitionKey, stepId: step } = question
  asked.value = { kind: 'answer', jobs: [{ jobId, partitionKey }], step, question, onDone }
}

/**
 * The button that answers a question. A person whose role does not permit it sees no button.
 *
 * @param {{ question: Question, reload: () => void, text?: string }} props
 */
export function AnswerButton({ question, reload, text = 'Answer' }) {
  if (about.value?.may.includes('answer') === false) return null
  return html`<button type="button" class="primary" onClick=${() => askForAnswer(question, reload)}>${text}</button>`
}

/**
 * A question of a job that waits for a person.
 *
 * @param {{ question: Question, reload: () => void }} props
 */
export function QuestionCard({ question, reload }) {
  const { title, jobId, stepId, workflow, assignees, since, expiresAt } = question
  const now = Date.now()
  return html`<article class="panel question">
    <div class="panel-head">
      <h3>
        <span class="badge state-processing"><span aria-hidden="true">?</span> question</span> ${`${workflow}, step ${stepId}`}
      </h3>
      <span class="quiet">${`asked ${agoText(since, now)}, the time for the answer ends ${untilText(expiresAt, now)}`}</span>
    </div>
    <p class="message">${title}</p>
    <p class="ids">
      <${Link} to=${jobAddress(question)} class="id">${jobId}<//>
      <span class="quiet"><bdi>${assignees.length === 0 ? 'for anyone' : `for ${assignees.join(', ')}`}</bdi></span>
    </p>
    <div class="buttons start"><${AnswerButton} question=${question} reload=${reload} /></div>
  </article>`
}
