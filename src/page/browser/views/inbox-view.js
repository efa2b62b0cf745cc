/** @import { Found, Group, Question, Questions } from '../state/shapes.js' */
import { asked } from '../parts/action-dialog.js'
import { html } from '../parts/html.js'
import { AnswerButton, QuestionCard } from '../parts/question-card.js'
import { Command, Link, Problem } from '../parts/basics.js'
import { about } from '../state/about.js'
import { address, addressOf, jobAddress, open } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { agoText, counted } from '../state/formats.js'
import { useChanges, useThrottled } from '../state/live.js'

const restMs = 2_000
const mostIds = 12

/** What needs a person: the questions of jobs, and the problems, grouped by cause. */
export function InboxView() {
  const assignee = address.value.query.get('assignee')
  const asking = /** @type {import('../state/api.js').Loaded<Questions>} */ (
    useLoaded(addressOf('/api/inbox', { assignee }))
  )
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Found>} */ (
    useLoaded('/api/attention')
  )
  const again = useThrottled(() => {
    reload()
    asking.reload()
  }, restMs)
  useChanges(again)
  return html`<h1>Inbox</h1>
    <${QuestionList} found=${asking.data} error=${asking.error} reload=${again} assignee=${assignee} />
    <h2 class="part">Problems</h2>
    <${Problem} error=${error} />
    ${
      data === null
        ? error === null
          ? html`<p class="quiet">…</p>`
          : null
        : data.groups.length === 0
          ? html`<p class="good empty">Nothing needs attention.</p>`
          : data.groups.map(
              (group) => html`<${GroupCard}
                  key=${keyOf(group)}
                  group=${group}
                  questions=${asking.data?.questions ?? []}
                  reload=${again}
                />`,
            )
    }`
}

/**
 * @param {{ found: Questions | null, error: string | null, reload: () => void,
 *   assignee: string | null }} props
 */
function QuestionList({ found, error, reload, assignee }) {
  const by = about.value?.by ?? ''
  const name = assignee ?? by
  const toggle = () => open(addressOf('/inbox', { assignee: assignee === null ? by : null }), true)
  return html`<div class="toolbar">
      <h2 class="part">Questions</h2>
      ${
        name === ''
          ? null
          : html`<label class="check"
              ><input type="checkbox" checked=${assignee !== null} onChange=${toggle} />
              <span>only those that <bdi>${name}</bdi> may answer</span></label
            >`
      }
    </div>
    <${Problem} error=${error} />
    ${
      found === null
        ? error === null
          ? html`<p class="quiet">…</p>`
          : null
        : found.questions.length === 0
          ? html`<p class="good empty">No question waits.</p>`
          : found.questions.map(
              (question) =>
                html`<${QuestionCard}
                  key=${JSON.stringify([question.jobId, question.stepId])}
                  question=${question}
                  reload=${reload}
                />`,
            )
    }
    ${
      found?.isCut === true
        ? html`<p class="quiet">
            ${`These are the ${found.questions.length} oldest. Later questions follow when these are answered.`}
          </p>`
        : null
    }`
}

/** @param {Group} group */
function keyOf({ workflow, kind, stepId, message }) {
  return JSON.stringify([workflow, kind, stepId, message])
}

/** The actions that can end each kind of problem. */
const actionsOf = /** @type {Record<string, ('resubmit' | 'release' | 'cancel' | 'resend')[]>} */ ({
  error: ['resubmit', 'cancel'],
  compensationFailed: ['resubmit'],
  corrupt: ['resubmit'],
  parked: ['release', 'cancel'],
  extendedWait: ['release', 'cancel'],
  notify: ['resend'],
})

const names = { resubmit: 'Resubmit', release: 'Release', cancel: 'Cancel', resend: 'Send again' }

/**
 * Returns the open questions of a group. The groups of the other kinds have none.
 *
 * @param {Group} group
 * @param {Question[]} questions
 */
function questionsOf({ kind, jobIds, stepId }, questions) {
  if (kind !== 'unanswered' && kind !== 'escalated') return []
  return questions.filter((one) => one.stepId === stepId && jobIds.includes(one.jobId)).slice(0, mostIds)
}

/** @param {{ group: Group, questions: Question[], reload: () => void }} props */
function GroupCard({ group, questions, reload }) {
  const { workflow, kind, stepId, message, since, jobIds, advice, command } = group
  const jobs = jobIds.map((jobId) => ({ jobId }))
  return html`<article class="panel group">
    <div class="panel-head">
      <h2>
        <span class="badge state-error"><span aria-hidden="true">✗</span> ${kind}</span> ${workflow}${
          stepId === null ? '' : `, step ${stepId}`
        }
      </h2>
      <span class="quiet">${counted(jobIds.length, 'job', 'jobs')}, the oldest ${agoText(since, Date.now())}</span>
    </div>
    <p class="message">${message}</p>
    <p class="ids">
      ${jobs.slice(0, mostIds).map((job) => html`<${Link} to=${jobAddress(job)} class="id">${job.jobId}<//> `)}
      ${
        jobs.length > mostIds
          ? html`<${Link} to=${addressOf('/jobs', { attention: 'true', workflow, step: stepId })}>
              ${`and ${jobs.length - mostIds} more`}<//
            >`
          : null
      }
    </p>
    <p>→ ${advice}</p>
    <div class="buttons start">
      ${questionsOf(group, questions).map(
        (question) =>
          html`<${AnswerButton}
            question=${question}
            reload=${reload}
            text=${jobs.length === 1 ? 'Answer' : `Answer ${question.jobId}`}
          />`,
      )}
      ${(actionsOf[kind] ?? []).map(
        (action) =>
          html`<button
            type="button"
            onClick=${() => {
              asked.value = { kind: action, jobs, onDone: reload }
            }}
          >
            ${names[action]} ${jobs.length === 1 ? '' : `all ${jobs.length}`}
          </button>`,
      )}
    </div>
    <${Command} text=${command} />
  </article>`
}
