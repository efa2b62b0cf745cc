/** @import { Kind } from '../state/action-kinds.js' */
/** @import { CancelPlan, Migrated, Report, Restarted } from '../state/shapes.js' */
import { actionKinds } from '../state/action-kinds.js'
import { jobAddress } from '../state/address.js'
import { counted } from '../state/formats.js'
import { Link } from './basics.js'
import { html } from './html.js'

/** The most refusals that are listed. */
const mostRefused = 100

/** The most links to jobs that are listed. */
const mostLinks = 20

/** The actions that submit the jobs of their report. */
const submitting = /** @type {Kind[]} */ (['schedule trigger', 'schedule backfill'])

/**
 * The report of an action: what accepted it, and what refused it. `thing` is what it counts, if the kind does not say it.
 *
 * @param {{ kind: Kind, report: Report, thing?: [string, string], close: () => void }} props
 */
export function ActionResult({ kind, report, thing = actionKinds[kind].thing, close }) {
  const {
    isDryRun,
    done,
    refused,
    isStopped = false,
    warnings = [],
    restarted,
    migrated = [],
    otherPlans = 0,
    plans = [],
  } = report
  const verb = submitting.includes(kind)
    ? isDryRun
      ? 'would be submitted; nothing was written'
      : done.length === 1
        ? 'was submitted'
        : 'were submitted'
    : isDryRun
      ? 'would accept this; nothing was written'
      : 'accepted this'
  const stopped = isStopped ? `Stopped before all ${thing[1]} were ${isDryRun ? 'tried' : 'reached'}. ` : ''
  if (!isStopped && done.length + refused.length + migrated.length === 0)
    return html`<div role="status" class="result">
      <p>${`No ${thing[0]} that matches allows this, so nothing was ${isDryRun ? 'tried' : 'done'}.`}</p>
      ${warnings.map((text) => html`<p><bdi>${text}</bdi></p>`)}
    </div>`
  return html`<div role="status" class="result">
    <p>
      ${`${stopped}${counted(done.length, ...thing)} ${verb}${refused.length === 0 ? '.' : `, ${refused.length} refused:`}`}
    </p>
    ${warnings.map((text) => html`<p><bdi>${text}</bdi></p>`)}
    ${actionKinds[kind].on === 'fleet' ? html`<ul>${done.map((name) => html`<li><bdi>${name}</bdi></li>`)}</ul>` : null}
    ${!isDryRun && submitting.includes(kind) ? html`<${NewJobs} jobIds=${done} close=${close} />` : null}
    ${restarted === undefined ? null : html`<${NewJob} job=${restarted} isDryRun=${isDryRun} close=${close} />`}
    ${migrated.map((plan) => html`<${NewPlan} plan=${plan} isOne=${done.length === 1} />`)}
    ${otherPlans === 0 ? null : html`<p>${`and ${counted(otherPlans, 'more group', 'more groups')} of jobs`}</p>`}
    ${
      refused.length === 0
        ? null
        : html`<ul>
            ${refused.slice(0, mostRefused).map(({ jobId, reason }) => html`<li><bdi>${jobId}</bdi>: ${inFields(reason)}</li>`)}
            ${refused.length > mostRefused ? html`<li>${`and ${refused.length - mostRefused} more`}</li>` : null}
          </ul>`
    }
    ${plans.length === 0 ? null : html`<${CancelPlans} plans=${plans} jobCount=${done.length} />`}
    ${plans.length === 0 || plans.length === done.length ? null : html`<p>${`The steps of ${plans.length} of the ${done.length} jobs are listed.`}</p>`}
  </div>`
}

/**
 * Returns a reason with the field of the dialog in place of the option of the API.
 *
 * @param {string} reason
 */
export function inFields(reason) {
  const label = actionKinds.restart.fields?.find(({ name }) => name === 'after')?.label ?? ''
  return reason
    .replaceAll(/pass after: "(undo|keep)"/gu, `in “${label}”, choose “$1”`)
    .replaceAll(/after: "(undo|keep)"/gu, '“$1”')
}

/**
 * The job that a restart made, and what becomes of each step.
 *
 * @param {{ job: Restarted, isDryRun: boolean, close: () => void }} props
 */
function NewJob({ job, isDryRun, close }) {
  const lists = [
    ['carried over', job.carried],
    ['run again', job.again],
    ['undone first', job.undone],
    ['effects stay', job.kept],
    ['runs again although it succeeded', job.repeated],
  ].filter(([, names = []]) => names.length > 0)
  const name = isDryRun
    ? html`<bdi class="id">${job.jobId}</bdi>`
    : html`<${LinkToJob} job=${job} close=${close} />`
  return html`<p>The new job: ${name}</p>
    <ul>
      ${lists.map(([title, names]) => html`<li>${title}: <${Names} names=${names} /></li>`)}
    </ul>`
}

/**
 * The jobs that an action has submitted.
 *
 * @param {{ jobIds: string[], close: () => void }} props
 */
function NewJobs({ jobIds, close }) {
  return html`<ul>
    ${jobIds.slice(0, mostLinks).map((jobId) => html`<li><${LinkToJob} job=${{ jobId }} close=${close} /></li>`)}
    ${jobIds.length > mostLinks ? html`<li>${`and ${jobIds.length - mostLinks} more`}</li>` : null}
  </ul>`
}

/**
 * A link that also closes the dialog.
 *
 * @param {{ job: { jobId: string, partitionKey?: string }, close: () => void }} props
 */
function LinkToJob({ job, close }) {
  return html`<span onClick=${close}><${Link} to=${jobAddress(job)} class="id">${job.jobId}<//></span>`
}

/**
 * What a cancellation would do with the steps of each job.
 *
 * @param {{ plans: CancelPlan[], jobCount: number }} props
 */
function CancelPlans({ plans, jobCount }) {
  return html`${plans.map(
    ({ jobId, stopped, undone, kept, uncertain }) =>
      html`${jobCount === 1 ? null : html`<p><bdi>${jobId}</bdi></p>`}
        <ul>
          <li>stopped: <${Names} names=${stopped} /></li>
          <li>undone: <${Names} names=${undone} /></li>
          <li class=${kept.length === 0 ? '' : 'bad'}>effects stay: <${Names} names=${kept} /></li>
          ${uncertain.length === 0 ? null : html`<li class="bad">may have acted: <${Names} names=${uncertain} /></li>`}
        </ul>`,
  )}`
}

/** @param {{ plan: Migrated, isOne: boolean }} props */
function NewPlan({ plan: { jobIds, changed, kept, edit }, isOne }) {
  const [first = ''] = jobIds
  const which = jobIds.length === 1 ? `job ${first}` : `${jobIds.length} jobs, such as ${first}`
  if (edit.changes.length + kept.length === 0)
    return html`<p><bdi>${isOne ? 'The job has this plan already.' : `This is already the plan of ${which}.`}</bdi></p>`
  return html`${isOne ? null : html`<p><bdi>${`In ${which}:`}</bdi></p>`}<ul>
    ${changed.length === 0 ? null : html`<li>changed: <${Names} names=${changed} /></li>`}
    ${kept.length === 0 ? null : html`<li>have begun, and keep the old plan: <${Names} names=${kept} /></li>`}
    ${edit.changes.map(
      ({ stepId, path, before, after }) =>
        html`<li><bdi>${`${stepId === null ? '' : `${stepId}: `}${path}: ${before ?? 'none'} → ${after ?? 'none'}`}</bdi></li>`,
    )}
    ${edit.others === 0 ? null : html`<li>${`and ${counted(edit.others, 'other change', 'other changes')}`}</li>`}
  </ul>`
}

/** @param {{ names: string[] }} props */
function Names({ names }) {
  if (names.length === 0) return 'none'
  return names.map((name, index) => html`${index === 0 ? '' : ', '}<bdi>${name}</bdi>`)
}
