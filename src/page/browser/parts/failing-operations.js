/** @import { Group, JobPage } from '../state/shapes.js' */
import { addressOf } from '../state/address.js'
import { counted } from '../state/formats.js'
import { Link, Panel, Problem } from './basics.js'
import { html } from './html.js'

const mostShown = 6
/** The kinds of problems that come from an operation. Others are questions, waits and roles that do not run. */
const failures = ['error', 'compensationFailed', 'parked']

/**
 * The steps whose operations fail: those that stopped their jobs, and the number of jobs that wait for a next attempt.
 *
 * @param {{ groups: readonly Group[] | null, retrying: JobPage | null, error: Error | null }} props
 */
export function FailingOperations({ groups, retrying, error }) {
  const failing = stepsOf(groups ?? [])
  const shown = failing.slice(0, mostShown)
  return html`<${Panel} title="Failing operations" more=${html`<${Link} to="/inbox">inbox<//>`}>
    <${Problem} error=${error} />
    ${
      shown.length === 0
        ? html`<p class=${groups === null ? 'quiet' : 'good'}>${groups === null ? '…' : 'No operation fails.'}</p>`
        : html`<ul class="rows">
            ${shown.map(
              ({ workflow, stepId, jobs, message }) =>
                html`<li key=${`${workflow} ${stepId}`}>
                  <${Link} to=${addressOf('/jobs', { workflow, step: stepId, attention: 'true' })}
                    >${`${workflow}, ${stepId}`}<//
                  >
                  <span class="quiet">${jobs === 1 ? `1 job: ${message}` : `${jobs} jobs, such as: ${message}`}</span>
                </li>`,
            )}
          </ul>`
    }
    ${failing.length > mostShown ? html`<p class="quiet">${`and ${failing.length - mostShown} more steps`}</p>` : null}
    <p>
      <${Link} to=${addressOf('/jobs', { waitingFor: 'retry' })}>${retryingText(retrying)}<//>
    </p>
  <//>`
}

/**
 * A link to the jobs whose step of this agent waits for its next attempt. Each job shows why its attempts failed.
 *
 * @param {{ agent: string }} props
 */
export function RetriesOf({ agent }) {
  return html`<${Link} to=${addressOf('/jobs', { agent, waitingFor: 'retry' })}
    >jobs whose step of agent <bdi>${agent}</bdi> waits for its next attempt<//
  >`
}

/**
 * Returns the steps of the groups, with the most jobs first. A step can have several groups, one for each cause, and the
 * messages in a group may differ in numbers. So the message is that of one job.
 *
 * @param {readonly Group[]} groups
 */
function stepsOf(groups) {
  /** @type {Map<string, { workflow: string, stepId: string, jobs: number, message: string }>} */
  const steps = new Map()
  for (const { workflow, kind, stepId, jobIds, message } of groups) {
    if (stepId === null || !failures.includes(kind)) continue
    const key = JSON.stringify([workflow, stepId])
    const jobs = (steps.get(key)?.jobs ?? 0) + jobIds.length
    steps.set(key, { workflow, stepId, jobs, message: steps.get(key)?.message ?? message })
  }
  return [...steps.values()].sort((one, other) => other.jobs - one.jobs)
}

/** @param {JobPage | null} page */
function retryingText(page) {
  if (page === null) return '…'
  if (page.next !== null) return `More than ${page.jobs.length} jobs wait for their next attempt`
  return page.jobs.length === 0
    ? 'No job waits for its next attempt'
    : `${counted(page.jobs.length, 'job waits', 'jobs wait')} for the next attempt`
}
