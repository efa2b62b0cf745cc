/** @import { Found, Group, Question, TriagedJob } from '../state/shapes.js' */
import { useState } from 'preact/hooks'
import { asked } from '../parts/action-dialog.js'
import { html } from '../parts/html.js'
import { AnswerButton } from '../parts/question-card.js'
import { Command, Link, Problem } from '../parts/basics.js'
import { TriageNote, triageValues, useSnoozeEnd } from '../parts/triage-note.js'
import { about } from '../state/about.js'
import { onSameStore } from '../state/commands.js'
import { address, addressOf, jobAddress } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { agoText, counted } from '../state/formats.js'
import { questionsOf } from '../now/need-you.js'

const mostIds = 12

/** Reads the problems that the address asks for: those that are not hidden, those of one person, or the hidden ones. */
export function useProblems() {
  const which = address.value.query.get('problems')
  const assignee = which === 'mine' ? (about.value?.by ?? '') : ''
  const snoozed = which === 'snoozed' ? 'true' : ''
  const loaded = /** @type {import('../state/api.js').Loaded<Found>} */ (
    useLoaded(addressOf('/api/attention', { assignee, snoozed }))
  )
  useSnoozeEnd(loaded)
  return loaded
}

/**
 * @param {{ found: import('../state/api.js').Loaded<Found>, questions: Question[], reload: () => void }} props
 */
export function ProblemList({ found: { data, error }, questions, reload }) {
  const { query } = address.value
  const which = query.get('problems')
  const assignee = query.get('assignee')
  const choices = [
    [null, 'Open'],
    ['mine', 'Mine'],
    ['snoozed', data !== null && data.snoozed > 0 ? `Snoozed (${data.snoozed})` : 'Snoozed'],
  ]
  return html`<div class="toolbar">
      <h2 class="part">Problems</h2>
      <nav class="choices" aria-label="Which problems">
        ${choices.map(
          ([value, text]) =>
            html`<${Link} to=${addressOf('/inbox', { assignee, problems: value })} isCurrent=${which === value}>${text}<//>`,
        )}
      </nav>
    </div>
    <${Problem} error=${error} />
    ${
      data === null
        ? error === null
          ? html`<p class="quiet">…</p>`
          : null
        : data.groups.length === 0
          ? html`<p class="good empty">${nothingText(which)}</p>`
          : data.groups.map(
              (group) =>
                html`<${GroupCard} key=${keyOf(group)} group=${group} questions=${questions} reload=${reload} />`,
            )
    }`
}

/** @param {string | null} which */
function nothingText(which) {
  if (which === 'snoozed') return 'Nothing is hidden.'
  return which === 'mine' ? 'Nothing is assigned to you.' : 'Nothing needs attention.'
}

/** @param {string} kind */
function isFlagged(kind) {
  return !['notify', 'unreadable', 'noAgent', 'nothingRuns'].includes(kind)
}

/**
 * The triages of a group of jobs. Jobs with the same triage share one entry.
 *
 * @param {{ triaged: TriagedJob[], reload: () => void }} props
 */
function Triaged({ triaged, reload }) {
  const groups = /** @type {Map<string, [TriagedJob, ...TriagedJob[]]>} */ (new Map())
  for (const one of triaged) {
    // A command on several jobs hides each until a slightly later time, so only the minute is compared.
    const key = JSON.stringify([one.assignee, one.note, one.snoozedUntil?.slice(0, 16)])
    const same = groups.get(key)
    if (same === undefined) groups.set(key, [one])
    else same.push(one)
  }
  return html`<ul class="rows triaged">
    ${[...groups].map(([key, same]) => {
      const [first] = same
      const jobs = same.map(({ jobId }) => ({ jobId }))
      const others = same.length - 1
      return html`<li key=${key}>
        <${TriageNote} told=${first} />
        <span class="quiet"
          ><bdi>${first.jobId}</bdi>${others === 0 ? '' : ` and ${counted(others, 'other job', 'other jobs')}`}</span
        >
        <button
          type="button"
          class="small"
          onClick=${() => {
            asked.value = { kind: 'triage', jobs, present: triageValues(first), onDone: reload }
          }}
        >
          Change
        </button>
      </li>`
    })}
  </ul>`
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

/** The words for the kinds of problems whose names are not words. */
const kindTexts = /** @type {Record<string, string>} */ ({
  notify: 'not delivered',
  noAgent: 'no agent',
  nothingRuns: 'a role is missing',
})

/**
 * Returns what an action on a group is about. Several jobs are selected by what they share, so that the server carries
 * out the action as a whole.
 *
 * @param {Group} group
 */
function allOf({ jobIds, filter }) {
  const jobs = jobIds.map((jobId) => ({ jobId }))
  return filter === null || jobs.length === 1
    ? { jobs }
    : { filter, thing: counted(jobs.length, 'job', 'jobs') }
}

const names = { resubmit: 'Resubmit', release: 'Release', cancel: 'Cancel', resend: 'Send again' }

/** @param {{ group: Group, questions: Question[], reload: () => void }} props */
function GroupCard({ group, questions, reload }) {
  const { workflow, kind, stepId, message, since, jobIds, triaged, advice, command } = group
  const jobs = jobIds.map((jobId) => ({ jobId }))
  const [isWhole, setWhole] = useState(false)
  /** @param {import('../parts/action-dialog.js').Asked} action */
  const ask = (action) => {
    asked.value = { ...action, ...allOf(group), onDone: reload }
  }
  return html`<article class="panel group">
    <div class="panel-head">
      <h2>
        <span class="badge state-error"><span aria-hidden="true">✗</span> ${kindTexts[kind] ?? kind}</span> ${workflow}${
          stepId === null ? '' : `, step ${stepId}`
        }
      </h2>
      ${
        // A missing role concerns no single job, and the leases do not say since when it is missing.
        jobs.length === 0
          ? null
          : html`<span class="quiet">${counted(jobs.length, 'job', 'jobs')}, the oldest ${agoText(since, Date.now())}</span>`
      }
    </div>
    <p class="message">${message}</p>
    <p class="ids">
      ${jobs.slice(0, isWhole ? jobs.length : mostIds).map((job) => html`<${Link} to=${jobAddress(job)} class="id">${job.jobId}<//> `)}
      ${
        jobs.length > mostIds
          ? html`<button type="button" class="small" aria-expanded=${isWhole} onClick=${() => setWhole(!isWhole)}>
              ${isWhole ? 'Show fewer' : `and ${jobs.length - mostIds} more`}
            </button>`
          : null
      }
    </p>
    ${triaged.length === 0 ? null : html`<${Triaged} triaged=${triaged} reload=${reload} />`}
    <p>→ ${advice}</p>
    <div class="buttons start">
      ${questionsOf(group, questions)
        .slice(0, mostIds)
        .map(
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
            onClick=${() => ask({ kind: action, isUndo: kind === 'compensationFailed' })}
          >
            ${names[action]} ${jobs.length === 1 ? '' : `all ${jobs.length}`}
          </button>`,
      )}
      ${
        isFlagged(kind)
          ? html`<button
              type="button"
              onClick=${() => ask({ kind: 'triage', present: triageValues(jobs.length === 1 ? triaged[0] : null) })}
            >
              Triage ${jobs.length === 1 ? '' : `all ${jobs.length}`}
            </button>`
          : null
      }
    </div>
    <${Command} text=${onSameStore(command, about.value?.storeArguments ?? [])} />
  </article>`
}
