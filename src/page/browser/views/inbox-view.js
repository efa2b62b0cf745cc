/** @import { Questions } from '../state/shapes.js' */
import { html } from '../parts/html.js'
import { QuestionCard } from '../parts/question-card.js'
import { Problem } from '../parts/basics.js'
import { about } from '../state/about.js'
import { address, addressOf, open } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { useChanges, useThrottled } from '../state/live.js'
import { ProblemList, useProblems } from './problem-list.js'

const restMs = 2_000

/** What needs a person: the questions of jobs, and the problems, grouped by cause. */
export function InboxView() {
  const assignee = address.value.query.get('assignee')
  const asking = /** @type {import('../state/api.js').Loaded<Questions>} */ (
    useLoaded(addressOf('/api/inbox', { assignee }))
  )
  const problems = useProblems()
  const again = useThrottled(() => {
    problems.reload()
    asking.reload()
  }, restMs)
  useChanges(again)
  return html`<h1>Inbox</h1>
    <${QuestionList} found=${asking.data} error=${asking.error} reload=${again} assignee=${assignee} />
    <${ProblemList} found=${problems} questions=${asking.data?.questions ?? []} reload=${again} />`
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
              <span>only those addressed to <bdi>${name}</bdi></span></label
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
          : html`<div class="cards">${found.questions.map(
              (question) =>
                html`<${QuestionCard}
                  key=${JSON.stringify([question.jobId, question.stepId])}
                  question=${question}
                  reload=${reload}
                />`,
            )}</div>`
    }
    ${
      found?.isCut === true
        ? html`<p class="quiet">
            ${`These are the ${found.questions.length} oldest. Newer questions are shown when these are answered.`}
          </p>`
        : null
    }`
}
