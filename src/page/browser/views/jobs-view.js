/** @import { JobPage, JobSummary } from '../state/shapes.js' */
import { useEffect, useRef, useState } from 'preact/hooks'
import { asked } from '../parts/action-dialog.js'
import { html } from '../parts/html.js'
import { Link, Problem, StateBadge } from '../parts/basics.js'
import { about } from '../state/about.js'
import { address, addressOf, jobAddress } from '../state/address.js'
import { read, useLoaded } from '../state/api.js'
import { agoText, chargeText, counted } from '../state/formats.js'
import { filterNames, isWithin, matches, unseenText, withUnseen } from '../state/job-filters.js'
import { useChanges, useThrottled } from '../state/live.js'
import { JobFilters } from './job-filters.js'
import { SubmitForm } from '../parts/submit-form.js'

/** The number of rows of a page, the most rows of one request, and the shortest time between two reads after a break. */
const [firstPage, mostRows, restMs] = [50, 500, 5_000]

/** @param {{ jobId: string, partitionKey: string }} job */
function keyOf({ jobId, partitionKey }) {
  return JSON.stringify([partitionKey, jobId])
}

/**
 * Returns one page with the jobs of two pages that follow each other.
 *
 * @param {JobPage | null} first
 * @param {JobPage} second
 * @returns {JobPage}
 */
function joined(first, second) {
  if (first === null) return second
  const known = new Set(first.jobs.map(keyOf))
  const others = second.jobs.filter((job) => !known.has(keyOf(job)))
  return { ...second, jobs: [...first.jobs, ...others], charge: first.charge + second.charge }
}

/**
 * Reads the first page, or as many rows as a person has asked for.
 *
 * @param {Record<string, string>} filter
 * @param {number} rows
 */
async function readRows(filter, rows) {
  /** @type {JobPage | null} */
  let found = null
  for (let left = Math.max(rows, firstPage); left > 0; left = rows - found.jobs.length) {
    const limit = String(Math.min(left, mostRows))
    const before = found?.next ?? null
    const page = /** @type {JobPage} */ (await read(addressOf('/api/jobs', { ...filter, before, limit })))
    found = joined(found, page)
    if (page.next === null) break
  }
  return /** @type {JobPage} */ (found)
}

/**
 * Reads jobs page by page. A change is shown in its row. New jobs are only counted, so no row moves by itself.
 *
 * @param {Record<string, string>} filter
 */
function useJobs(filter) {
  const path = addressOf('/api/jobs', filter)
  const shownRows = useRef(0)
  const { data, error, reload, change } = /** @type {import('../state/api.js').Loaded<JobPage>} */ (
    useLoaded(path, () => readRows(filter, shownRows.current))
  )
  shownRows.current = data?.jobs.length ?? 0
  const [isMore, setMore] = useState(false)
  const [moreError, setMoreError] = useState(/** @type {string | null} */ (null))
  const [unseen, setUnseen] = useState(/** @type {ReadonlySet<string>} */ (new Set()))
  const [isBehind, setBehind] = useState(false)
  const shown = new Set((data?.jobs ?? []).map(keyOf))
  const nothingNew = () => {
    setUnseen(new Set())
    setBehind(false)
  }
  useEffect(nothingNew, [path])
  const again = () => {
    nothingNew()
    reload()
  }
  // Several pages cost several reads, so a person decides when they are read again.
  const catchUp = useThrottled(
    () => ((data?.jobs.length ?? 0) <= firstPage ? again() : setBehind(true)),
    restMs,
  )
  useChanges((changes) => {
    if (changes === null) {
      catchUp()
      return
    }
    if (changes.isCut) setBehind(true)
    const byKey = new Map(changes.jobs.map((job) => [keyOf(job), job]))
    change((page) => ({ ...page, jobs: page.jobs.map((job) => byKey.get(keyOf(job)) ?? job) }))
    const fresh = changes.jobs
      .filter((job) => !shown.has(keyOf(job)) && matches(job, filter) && isWithin(job, data))
      .map(keyOf)
    setUnseen((old) => withUnseen(old, fresh))
  })
  const next = data?.next ?? null
  const more = async () => {
    setMore(true)
    setMoreError(null)
    try {
      const page = /** @type {JobPage} */ (await read(addressOf('/api/jobs', { ...filter, before: next })))
      change((old) => joined(old, page))
    } catch (reason) {
      setMoreError(/** @type {Error} */ (reason).message)
    } finally {
      setMore(false)
    }
  }
  // A job that was new during a read may be in its answer.
  const news = new Set([...unseen].filter((key) => !shown.has(key)))
  return { path, data, error, again, unseen: news, isBehind, next, more, isMore, moreError }
}

/** Jobs by filters, page by page. */
export function JobsView() {
  const { query } = address.value
  const unknown = [...query.keys()].filter((name) => !filterNames.includes(name))
  // The API refuses an unknown filter, which would otherwise show more jobs than the address means.
  const filter = Object.fromEntries([...filterNames, ...unknown].map((name) => [name, query.get(name) ?? '']))
  const { path, data, error, again, unseen, isBehind, next, more, isMore, moreError } = useJobs(filter)
  const [ticked, setTicked] = useState(/** @type {ReadonlySet<string>} */ (new Set()))
  useEffect(() => setTicked(new Set()), [path])
  const jobs = data?.jobs ?? []
  const chosen = jobs.filter((job) => ticked.has(keyOf(job)))
  return html`<h1>Jobs</h1>
    <${JobFilters} filter=${filter} />
    ${(about.value?.workflows.length ?? 0) === 0 ? null : html`<${SubmitForm} />`}
    <${Problem} error=${error} />
    ${data === null ? null : html`<${Toolbar} chosen=${chosen} filter=${filter} onDone=${again} />`}
    ${
      unseen.size === 0 && !isBehind
        ? null
        : html`<p>
            <button type="button" onClick=${again}>
              ${isBehind ? 'Show what has changed' : `Show ${unseenText(unseen)}`}
            </button>
          </p>`
    }
    ${
      data === null
        ? error === null
          ? html`<p class="quiet">…</p>`
          : null
        : jobs.length === 0
          ? html`<p class="quiet empty">No job matches.</p>
              ${data.warnings.map((text) => html`<p><bdi>${text}</bdi></p>`)}`
          : html`<${Rows} jobs=${jobs} ticked=${ticked} setTicked=${setTicked} />`
    }
    ${data === null ? null : html`<p class="quiet charge">${chargeText(jobs.length, data.charge)}</p>`}
    ${
      data !== null && data.unreadable > 0
        ? html`<p class="problem">
            ${counted(data.unreadable, 'job', 'jobs')} cannot be read: see the <${Link} to="/inbox">inbox<//>.
          </p>`
        : null
    }
    <${Problem} error=${moreError} />
    ${
      next === null
        ? null
        : html`<p><button type="button" disabled=${isMore} onClick=${more}>More jobs</button></p>`
    }`
}

const actions = /** @type {const} */ ([
  ['resubmit', 'Resubmit'],
  ['restart', 'Restart from a step'],
  ['migrate', 'Migrate'],
  ['triage', 'Triage'],
  ['release', 'Release'],
  ['pause', 'Pause'],
  ['resume', 'Resume'],
  ['cancel', 'Cancel'],
  ['resend', 'Send notices again'],
])

/**
 * Checks whether an action can be carried out on all jobs that match. Like in the command line, jobs are paused and
 * resumed by their names, and notices are chosen only by the workflow. A migration needs the workflow.
 *
 * @param {(typeof actions)[number][0]} kind
 * @param {Record<string, string>} given
 */
function goesByFilter(kind, given) {
  if (kind === 'resend' || kind === 'migrate') return given['workflow'] !== undefined
  return kind !== 'pause' && kind !== 'resume'
}

/** @param {{ chosen: JobSummary[], filter: Record<string, string>, onDone: () => void }} props */
function Toolbar({ chosen, filter, onDone }) {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
  // A selection of the API has no filter for attention, so it would reach more jobs than the list shows.
  const isFiltered = Object.keys(given).length > 0 && given['attention'] === undefined
  const jobs = chosen.map(({ jobId, partitionKey }) => ({ jobId, partitionKey }))
  /** @param {(typeof actions)[number][0]} kind */
  const ask = (kind) => {
    if (jobs.length > 0) asked.value = { kind, jobs, onDone }
    else {
      const { workflow } = /** @type {{ workflow?: string }} */ (given)
      const only = kind === 'resend' ? (workflow === undefined ? {} : { workflow }) : given
      asked.value = { kind, filter: only, onDone }
    }
  }
  return html`<div class="toolbar">
    <span
      >${jobs.length > 0 ? `${jobs.length} chosen:` : isFiltered ? 'All that match:' : 'Tick jobs, or set a filter, to act on them.'}</span
    >
    ${actions
      .filter(([kind]) => kind !== 'migrate' || (about.value?.workflows ?? []).length > 0)
      .map(
        ([kind, name]) =>
          html`<button
          type="button"
          disabled=${jobs.length === 0 && (!isFiltered || !goesByFilter(kind, given))}
          onClick=${() => ask(kind)}
        >
          ${name}
        </button>`,
      )}
  </div>`
}

/**
 * @param {{ jobs: JobSummary[], ticked: ReadonlySet<string>,
 *   setTicked: (ticked: ReadonlySet<string>) => void }} props
 */
function Rows({ jobs, ticked, setTicked }) {
  const isAll = jobs.every((job) => ticked.has(keyOf(job)))
  const now = Date.now()
  /** @param {string} key */
  const toggle = (key) => {
    const others = [...ticked].filter((known) => known !== key)
    setTicked(new Set(ticked.has(key) ? others : [...others, key]))
  }
  return html`<table class="jobs">
    <thead>
      <tr>
        <th>
          <input
            type="checkbox"
            aria-label="Choose all jobs shown"
            checked=${isAll}
            onChange=${() => setTicked(new Set(isAll ? [] : jobs.map(keyOf)))}
          />
        </th>
        <th>Job</th>
        <th>Workflow</th>
        <th>State</th>
        <th class="right">Steps</th>
        <th>Submitted</th>
        <th>Attention</th>
      </tr>
    </thead>
    <tbody>
      ${jobs.map((job) => {
        const key = keyOf(job)
        return html`<tr key=${key}>
          <td>
            <input
              type="checkbox"
              aria-label=${`Choose ${job.jobId}`}
              checked=${ticked.has(key)}
              onChange=${() => toggle(key)}
            />
          </td>
          <td><${Link} to=${jobAddress(job)} class="id">${job.jobId}<//></td>
          <td>${job.workflow}</td>
          <td><${StateBadge} state=${job.state} /></td>
          <td class="right" data-label="steps">${job.stepsDone}/${job.stepCount}</td>
          <td title=${job.submittedAt}>${agoText(job.submittedAt, now)}</td>
          <td class=${isCalm(job) ? 'attention-cell' : 'attention-cell bad'}>
            <bdi>${attentionText(job)}</bdi>
          </td>
        </tr>`
      })}
    </tbody>
  </table>`
}

/**
 * Checks whether the text of a job tells a decision of an operator, not a problem.
 *
 * @param {JobSummary} job
 */
function isCalm({ paused, restartedAs }) {
  return paused !== null || restartedAs !== null
}

/** @param {JobSummary} job */
function attentionText({ paused, restartedAs, attention, triage }) {
  if (paused) return `paused by ${paused.by}: ${paused.why}`
  if (restartedAs !== null) return `restarted as ${restartedAs.jobId}`
  if (attention === null) return ''
  const who = triage?.assignee ? ` (${triage.assignee} looks after it)` : ''
  return `${attention.kind}: ${attention.message}${who}`
}
