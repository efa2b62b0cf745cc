/** @import { Job, Step } from '../state/shapes.js' */
import { asked } from '../parts/action-dialog.js'
import { Decisions } from '../parts/decisions.js'
import { html } from '../parts/html.js'
import { AnswerButton } from '../parts/question-card.js'
import { heldSteps, mayBeCancelled, pauseOrResume } from '../parts/action-buttons.js'
import { Command, CopyButton, Facts, JsonBox, Link, Panel, Problem, StateBadge } from '../parts/basics.js'
import { TriageNote, triageValues } from '../parts/triage-note.js'
import { about } from '../state/about.js'
import { onSameStore } from '../state/commands.js'
import { address, addressOf, jobAddress } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { agoText, durationText, momentText, withMoments } from '../state/formats.js'
import { decisionsOf } from '../state/timeline.js'
import { presentInputsOf } from '../inputs/present-input.js'
import { AttemptsPanel } from '../past/attempts.js'
import { useChanges, useInterval, useThrottled } from '../state/live.js'
import { JobGraph } from './job-graph.js'
import { Costs, Difference, Notices, UndoPath } from './job-panels.js'
import { StoredDocuments } from './job-documents.js'
import { Bars, Timeline } from './job-timeline.js'

/** The shortest time between two reads of a job that changes. */
const restMs = 250

/** The time between two reads of the leases for a job that has not ended. */
const lackingMs = 30_000

/** One job: why it is not further, its plan, its past, and each step with its attempts. */
export function JobView() {
  const { query } = address.value
  const [jobId, partitionKey] = [query.get('jobId') ?? '', query.get('partitionKey')]
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Job>} */ (
    useLoaded(addressOf('/api/job', { jobId, partitionKey }))
  )
  const isOpen = data !== null && data.endedAt === null
  const lacking = /** @type {import('../state/api.js').Loaded<{ why: string | null }>} */ (
    useLoaded(isOpen ? addressOf('/api/lacking', { jobId, partitionKey }) : null)
  )
  useInterval(lacking.reload, lackingMs)
  const again = useThrottled(reload, restMs)
  useChanges((changes) => {
    const isOurs = (/** @type {{ jobId: string }} */ one) => one.jobId === jobId
    if (changes === null || changes.isCut || changes.jobs.some(isOurs) || changes.steps.some(isOurs)) again()
  })
  if (data === null) {
    return html`<h1 class="id">${jobId}</h1>
      <${Problem} error=${error} />${error === null ? html`<p class="quiet">…</p>` : null}`
  }
  const chosenId = query.get('step')
  const chosen = data.steps.find(({ stepId }) => stepId === chosenId) ?? mostTelling(data.steps)
  return html`<${Head} job=${data} lacking=${isOpen ? (lacking.data?.why ?? null) : null} reload=${reload} />
    <${Problem} error=${error} />
    <${Panel} title="Plan">
      <${JobGraph} steps=${data.steps} chosen=${chosen?.stepId ?? null} />
    <//>
    <${Panel} title="What took the time"><${Bars} job=${data} chosen=${chosen?.stepId ?? null} /><//>
    <div class="columns">
      <div class="stack">
        ${chosen === undefined ? null : html`<${StepPanel} step=${chosen} />`}
        ${chosen === undefined ? null : html`<${Difference} job=${data} step=${chosen} />`}
        ${chosen === undefined ? null : html`<${AttemptsPanel} job=${data} step=${chosen} key=${chosen.stepId} />`}
        <${Panel} title=${data.result === null ? 'Input of the job' : 'Input and result of the job'}>
          <${JsonBox} title="Input" value=${data.input} />
          ${data.result === null ? null : html`<${JsonBox} title="Result" value=${data.result} />`}
        <//>
      </div>
      <div class="stack">
        <${Panel} title="Timeline"><${Timeline} job=${data} /><//>
        <${UndoPath} job=${data} />
        <${Costs} job=${data} />
        <${Panel} title="Decisions of operators"><${Decisions}
            rows=${decisionsOf(data)}
            none="No operator has decided anything about this job."
        /><//>
        ${data.notices.length === 0 ? null : html`<${Panel} title="Notices"><${Notices} job=${data} /><//>`}
      </div>
    </div>
    <${StoredDocuments} job=${data} />`
}

/**
 * Returns the step to show first: a flagged one, otherwise one at work, otherwise the first.
 *
 * @param {Step[]} steps
 */
function mostTelling(steps) {
  return (
    steps.find((step) => step.state === 'Error' || step.attention !== null) ??
    steps.find((step) => step.state === 'Processing' || step.state === 'Compensating') ??
    steps[0]
  )
}

/** @param {{ job: Job, lacking: string | null, reload: () => void }} props */
function Head({ job, lacking, reload }) {
  const now = Date.now()
  const facts = [
    [
      'Workflow',
      html`<${Link} to=${addressOf('/jobs', { workflow: job.workflow })}>${job.workflow}<//>${` (version ${job.workflowVersion})`}`,
    ],
    ...(job.orderId === job.jobId ? [] : [['Order', job.orderId]]),
    ...(job.partitionKey === job.jobId ? [] : [['Partition key', job.partitionKey]]),
    ['Submitted', momentText(job.submittedAt, now)],
    job.endedAt === null
      ? ['Running for', durationText(now - Date.parse(job.submittedAt))]
      : [
          job.state === 'Error' ? 'Failed after' : 'Took',
          durationText(Date.parse(job.endedAt) - Date.parse(job.submittedAt)),
        ],
    ...(job.lockedBy === null ? [] : [['Driven by', job.lockedBy]]),
    ...(job.completeBy === null ? [] : [['Complete by', momentText(job.completeBy, now)]]),
    ...(job.generation > 1 ? [['Generation', job.generation]] : []),
    ...(job.priority === 0 ? [] : [['Priority', job.priority]]),
    ...(job.restartOf === null ? [] : [['Restart of', linkTo(job, job.restartOf)]]),
    ...(job.restartedAs === null ? [] : [['Restarted as', linkTo(job, job.restartedAs)]]),
    ...Object.entries(job.tags).map(([name, value]) => [
      `Tag ${name}`,
      html`<${Link} to=${addressOf('/jobs', { tag: `${name}=${value}` })}><bdi>${value}</bdi><//>`,
    ]),
  ]
  return html`<div class="job-head">
      <h1 class="id">${job.jobId}</h1>
      <${StateBadge} state=${job.state} />
      <${CopyButton} text=${job.jobId} label="Copy id" />
      <${Link} to=${addressOf('/history', { jobId: job.jobId, partitionKey: job.partitionKey })}>History<//>
    </div>
    <p class=${job.attention === null ? 'why' : 'why problem'}><bdi>${withMoments(lacking === null ? job.why : `${lacking} ${job.why}`, now)}</bdi></p>
    ${job.triage === null ? null : html`<p><${TriageNote} told=${job.triage} /></p>`}
    ${job.advice === null ? null : html`<p>→ ${job.advice.advice}</p>`}
    <${Actions} job=${job} reload=${reload} />
    ${job.advice === null ? null : html`<${Command} text=${onSameStore(job.advice.command, about.value?.storeArguments ?? [])} />`}
    <${Facts} facts=${facts} />`
}

/**
 * A link to the other job of a restart, which is in the same partition.
 *
 * @param {Job} job
 * @param {{ jobId: string, from: string }} other
 */
function linkTo({ partitionKey }, { jobId, from }) {
  return html`<${Link} to=${jobAddress({ jobId, partitionKey })} class="id">${jobId}<//>${`, from step ${from}`}`
}

/** @param {{ job: Job, reload: () => void }} props */
function Actions({ job, reload }) {
  const { jobId, partitionKey, state, steps, notices } = job
  const jobs = [{ jobId, partitionKey }]
  const failed = steps.filter((step) => step.state === 'Error').map(({ stepId }) => stepId)
  const held = heldSteps(job)
  const awaiting = steps
    .filter(
      (step) => step.kind === 'waitFor' && !step.asks && step.event === null && step.state !== 'Skipped',
    )
    .map(({ stepId }) => stepId)
  const isEnded = state === 'Processed' || state === 'Compensated'
  const possible = [
    (state === 'Error' || state === 'Compensated') && job.restartedAs === null
      ? {
          kind: 'resubmit',
          name: 'Resubmit',
          steps: failed,
          isUndo: job.attention?.kind === 'compensationFailed',
        }
      : null,
    (isEnded || state === 'Error') && job.restartedAs === null
      ? { kind: 'restart', name: 'Restart from a step', steps: steps.map(({ stepId }) => stepId) }
      : null,
    !isEnded && (about.value?.workflows ?? []).some(({ name }) => name === job.workflow)
      ? { kind: 'migrate', name: 'Migrate', steps: [] }
      : null,
    job.attention === null
      ? null
      : { kind: 'triage', name: 'Triage', steps: [], present: triageValues(job.triage) },
    held.length > 0 ? { kind: 'release', name: 'Release', steps: held } : null,
    awaiting.length > 0 && !isEnded
      ? { kind: 'raise', name: 'Raise event', steps: awaiting, step: awaiting[0] }
      : null,
    notices.some(({ attention }) => attention !== null)
      ? { kind: 'resend', name: 'Send notices again', steps: [] }
      : null,
    pauseOrResume(job),
    mayBeCancelled(job) ? { kind: 'cancel', name: 'Cancel', steps: [] } : null,
  ].flatMap((one) => (one === null ? [] : [one]))
  const questions = steps.flatMap(({ question }) => (question === null ? [] : [question]))
  return html`<div class="buttons start">
    ${questions.map(
      (question) =>
        html`<${AnswerButton}
          question=${question}
          reload=${reload}
          text=${questions.length === 1 ? 'Answer' : `Answer ${question.stepId}`}
        />`,
    )}
    ${possible.map(
      ({ kind, name, ...rest }) =>
        html`<button
          key=${kind}
          type="button"
          onClick=${() => {
            asked.value = {
              kind: /** @type {any} */ (kind),
              jobs,
              ...rest,
              inputOf: presentInputsOf(job),
              onDone: reload,
            }
          }}
        >
          ${name}
        </button>`,
    )}
  </div>`
}

/**
 * A text such as `120 of 500: invoices (3 s ago)`.
 *
 * @param {NonNullable<Step['progress']>} progress
 * @param {number} now
 */
function progressText({ done, of, note = '', at }, now) {
  const amount = [done ?? '', of === undefined ? '' : `of ${of}`].join(' ').trim()
  return html`<bdi>${[amount, note].filter((part) => part !== '').join(': ')}</bdi>${` (${agoText(at, now)})`}`
}

/** @param {{ step: Step }} props */
function StepPanel({ step }) {
  const now = Date.now()
  const { stepId, kind, asks, actor, action, state, direction, attempt, failureCount, maxFailures, outcome } =
    step
  const facts = [
    [
      'Does',
      kind === 'operation'
        ? `${actor}.${action}${direction === 'undo' ? ' (undo)' : ''}`
        : asks
          ? 'asks a person'
          : kind,
    ],
    ['Attempt', attempt],
    ['Failures', `${failureCount} of ${maxFailures}`],
    ...(step.round === null ? [] : [['Round', `${step.round.number} of at most ${step.round.atMost}`]]),
    ...(step.collect === null
      ? []
      : [['Events', `${step.collect.events.length} of ${step.collect.count} have arrived`]]),
    ...(step.progress === null ? [] : [['Progress', progressText(step.progress, now)]]),
    ...(step.completeBy === null ? [] : [['Complete by', momentText(step.completeBy, now)]]),
    ...(step.notBefore === null ? [] : [['Not before', momentText(step.notBefore, now)]]),
    ...(step.lockedBy === null ? [] : [['Driven by', step.lockedBy]]),
    ['Idempotency key', step.idempotencyKey],
    ...(step.dependsOn.length === 0 ? [] : [['Waits for', step.dependsOn.join(', ')]]),
  ]
  // The newest attempt is in the list already if it failed.
  const isListed = outcome?.kind !== 'success' && step.diagnostics.at(-1)?.at === outcome?.at
  return html`<${Panel} title=${`Step ${stepId}`} id="step" more=${html`<${StateBadge} state=${state} />`}>
    ${step.attention === null ? null : html`<p class="problem">${step.attention.kind}: ${step.attention.message}</p>`}
    ${
      step.question === null
        ? null
        : html`<p class="message">${step.question.title}</p>
            <p class="quiet"><bdi>${step.question.assignees.length === 0 ? 'For anyone' : `For ${step.question.assignees.join(', ')}`}</bdi></p>`
    }
    <${Facts} facts=${facts} />
    <h3>Attempts</h3>
    ${
      step.diagnostics.length === 0 && outcome === null
        ? html`<p class="quiet">No attempt has ended.</p>`
        : html`<ol class="attempts">
            ${step.diagnostics.map(
              (one) =>
                html`<li>
                  <b class="bad">attempt ${one.attempt}</b>
                  <span class="quiet">${` ${momentText(one.at, now)}, ${one.by}`}</span><br /><bdi>${one.message}</bdi>
                </li>`,
            )}
            ${
              outcome === null || isListed
                ? null
                : html`<li>
                    <b class=${outcome.kind === 'success' ? 'good' : 'bad'}>newest: ${direction === 'undo' ? 'undo, ' : ''}${outcome.kind}</b>
                    <span class="quiet">${` ${momentText(outcome.at, now)}, ${outcome.by}`}</span>
                  </li>`
            }
          </ol>`
    }
    <div class="side-by-side">
      <${JsonBox}
        title=${step.input === null ? 'Input, not resolved yet' : 'Input'}
        value=${step.input ?? step.inputTemplate}
      />
      <${JsonBox} title="Output" value=${step.output} />
    </div>
  <//>`
}
