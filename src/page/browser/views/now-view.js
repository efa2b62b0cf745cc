/** @import { End } from '../state/pace.js' */
/** @import { CostReport, Finding, Found, JobPage, JobSummary, Lag, Pauses, Questions } from '../state/shapes.js' */
import { useState } from 'preact/hooks'
import { html } from '../parts/html.js'
import { Command, Facts, Link, Panel, Problem, StateBadge } from '../parts/basics.js'
import { FailingOperations, RetriesOf } from '../parts/failing-operations.js'
import { useSnoozeEnd } from '../parts/triage-note.js'
import { about } from '../state/about.js'
import { addressOf, jobAddress } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { counted, durationText, unitsText } from '../state/formats.js'
import { onSameStore } from '../state/commands.js'
import { groupedFindings } from '../state/grouped-findings.js'
import { useChanges, useInterval, useThrottled } from '../state/live.js'
import { paceOf, withEnds } from '../state/pace.js'
import { states } from '../state/shapes.js'
import { PausedLine } from '../now/paused-line.js'
import { needs } from '../now/need-you.js'

/** The shortest time between two reads of the numbers, because their charge grows with the number of jobs. */
const restMs = 5_000
/** The interval of the reads of the findings, some of which come and go without a change of a job. */
const findingsMs = 60_000
/** The interval of the reads of pauses, which may begin without a change of a job. */
const pausesMs = 15_000
const mostShown = 15
const retryingPath = addressOf('/api/jobs', { waitingFor: 'retry', limit: '50' })

/** What happens now. Every number leads to its list. */
export function NowView() {
  const counts = useLoaded('/api/counts')
  const found = /** @type {import('../state/api.js').Loaded<Found>} */ (useLoaded('/api/attention'))
  useSnoozeEnd(found)
  const asking = /** @type {import('../state/api.js').Loaded<Questions>} */ (useLoaded('/api/inbox'))
  const lag = /** @type {import('../state/api.js').Loaded<Lag>} */ (useLoaded('/api/lag'))
  const retrying = /** @type {import('../state/api.js').Loaded<JobPage>} */ (useLoaded(retryingPath))
  const findings = /** @type {import('../state/api.js').Loaded<Finding[]>} */ (useLoaded('/api/findings'))
  const pauses = /** @type {import('../state/api.js').Loaded<Pauses>} */ (useLoaded('/api/pauses'))
  const [newest, setNewest] = useState(/** @type {JobSummary[]} */ ([]))
  const [ends, setEnds] = useState(/** @type {readonly End[]} */ ([]))
  const again = useThrottled(() => {
    for (const { reload } of [counts, found, asking, retrying, lag, pauses]) reload()
  }, restMs)
  useInterval(findings.reload, findingsMs)
  useInterval(pauses.reload, pausesMs)
  useChanges((changes) => {
    again()
    if (changes === null) return
    setNewest((old) => merged(changes.jobs, old))
    setEnds((old) => withEnds(old, changes.jobs, Date.now()))
  })
  const numbers = /** @type {Record<string, number>} */ (counts.data ?? {})
  return html`<h1>Now</h1>
    <${Problem} error=${counts.error ?? found.error ?? asking.error} />
    <div class="tiles">
      <${NeedYou} found=${found.data} asking=${asking.data} />
      ${states.map(
        (state) =>
          html`<${Link} to=${addressOf('/jobs', { state })} class="tile">
            <span class="number">${numbers[state] ?? '…'}</span>
            <${StateBadge} state=${state} />
          <//>`,
      )}
    </div>
    <${PausedLine} pauses=${pauses.data} error=${pauses.error} />
    <div class="columns">
      <div class="stack">
      <${Pace} ends=${ends} />
      <${Panel} title="Changes as they happen" more=${html`<${Link} to="/tail">live tail<//>`}>
        ${
          newest.length === 0
            ? html`<p class="quiet">Nothing has changed since this view was opened.</p>`
            : html`<ul class="rows">
                ${newest.map(
                  (job) =>
                    html`<li key=${job.partitionKey + job.jobId}>
                      <${StateBadge} state=${job.state} />
                      <${Link} to=${jobAddress(job)} class="id">${job.jobId}<//>
                      <span class="quiet">${job.workflow}, ${job.stepsDone}/${job.stepCount}</span>
                    </li>`,
                )}
              </ul>`
        }
      <//>
      </div>
      <div class="stack">
      <${FailingOperations} groups=${found.data?.groups ?? null} retrying=${retrying.data} error=${retrying.error} />
      <${Panel} title="Lag of the roles" more=${html`<${Link} to="/leases">leases<//>`}>
        <${Problem} error=${lag.error} />
        <${LagTable} lag=${lag.data} />
        <p class="quiet">${lagNote}</p>
      <//>
      <${Panel} title="Findings">
        <${Problem} error=${findings.error} />
        <${Findings} findings=${findings.data} />
      <//>
      </div>
    </div>`
}

/**
 * The number of problems and questions that need a person.
 *
 * @param {{ found: Found | null, asking: Questions | null }} props
 */
function NeedYou({ found, asking }) {
  const known = found === null || asking === null ? null : needs(found, asking)
  const questions = known?.questions ?? 0
  const isCalm = (found?.groups.length ?? 0) + questions === 0
  const parts = [
    ...(questions === 0
      ? []
      : [
          `${questions}${asking?.isCut === true ? ' or more' : ''} of them ${questions === 1 ? 'a question' : 'questions'}`,
        ]),
    ...(found?.isStanding === true ? ['and a role does not run'] : []),
  ]
  return html`<${Link} to="/inbox" class=${`tile ${isCalm ? 'tile-good' : 'tile-bad'}`}>
    <span class="number">${known === null ? '…' : known.total}</span>
    <span>${['need you', ...parts].join(', ')}</span>
  <//>`
}

const lagNote =
  'The lag is counted from the position that a role has stored. A role stores it every 5 s by default, so a few seconds are normal.'

/**
 * The rates since the view was opened. The request units are computed with the prices of the view Cost, which needs no
 * request to the store.
 *
 * @param {{ ends: readonly End[] }} props
 */
function Pace({ ends }) {
  const [openedMs] = useState(() => Date.now())
  const { ended, perSecond, p50Ms, p95Ms, meanSteps } = paceOf(ends, Date.now(), openedMs)
  const prices = /** @type {import('../state/api.js').Loaded<CostReport>} */ (
    useLoaded(addressOf('/api/cost', { steps: String(meanSteps ?? 1) }))
  )
  const units =
    prices.data === null ? null : perSecond * prices.data.jobs.together.totalCharge + prices.data.idle.total
  const facts = [
    ['Jobs ended', html`<${Link} to="/jobs">${ended}<//>`],
    ['Jobs a second', unitsText(perSecond)],
    ['Half took at most', p50Ms === null ? '–' : durationText(p50Ms)],
    ['95 % took at most', p95Ms === null ? '–' : durationText(p95Ms)],
    ['RU a second, computed', html`<${Link} to="/cost">${units === null ? '…' : unitsText(units)}<//>`],
  ]
  const more = html`<span class="quiet">since this view was opened, at most 5 minutes</span>`
  return html`<${Panel} title="Pace" more=${more}><${Facts} facts=${facts} /><//>`
}

/**
 * @param {JobSummary[]} jobs
 * @param {JobSummary[]} old
 */
function merged(jobs, old) {
  const isNew = (/** @type {JobSummary} */ { jobId, partitionKey }) =>
    !jobs.some((job) => job.jobId === jobId && job.partitionKey === partitionKey)
  return [...[...jobs].reverse(), ...old.filter(isNew)].slice(0, mostShown)
}

/** @param {{ lag: Lag | null }} props */
function LagTable({ lag }) {
  if (lag === null) return html`<p class="quiet">…</p>`
  const names = [...new Set(lag.leases.map(({ processorName }) => processorName))]
  if (names.length === 0)
    return html`<p class="quiet">No instance has been started on this container yet.</p>`
  return html`<table>
      <thead>
        <tr>
          <th>Processor</th>
          <th class="right">Changes behind</th>
          <th class="right">Oldest</th>
        </tr>
      </thead>
      <tbody>
        ${names.map((name) => {
          const rows = lag.leases.filter(({ processorName }) => processorName === name)
          const ages = rows.flatMap(({ oldestAgeMs }) => (oldestAgeMs === null ? [] : [oldestAgeMs]))
          return html`<tr key=${name}>
            <td><${Link} to=${addressOf('/leases', { processor: name })}>${name}<//></td>
            <td class="right">${rows.reduce((sum, { estimatedLag }) => sum + estimatedLag, 0)}</td>
            <td class="right">${ages.length === 0 ? '–' : durationText(Math.max(...ages))}</td>
          </tr>`
        })}
      </tbody>
    </table>
    ${
      lag.standing === null
        ? null
        : html`<p class="problem">
              ${`${counted(lag.standing.waiting, 'job waits', 'jobs wait')} for ${lag.standing.missing.join(', ')}.`}
            </p>
            <${Command} text=${onSameStore(lag.standing.command, about.value?.storeArguments ?? [])} />`
    }`
}

/** @param {{ findings: Finding[] | null }} props */
export function Findings({ findings }) {
  if (findings === null) return html`<p class="quiet">…</p>`
  if (findings.length === 0) return html`<p class="good">Nothing is wrong with the containers and leases.</p>`
  return html`<ul class="findings">
    ${groupedFindings(findings).map(
      ({ severity, rule, processorNames, observation, advice, agent }) =>
        html`<li>
          <p>
            <b class=${severity === 'problem' ? 'bad' : ''}>${severity}</b>
            ${` ${rule}${processorNames.length === 0 ? '' : ` of ${processorNames.join(', ')}`}`}
          </p>
          <p>${observation}</p>
          <p class="quiet">→ ${advice}</p>
          ${agent === undefined ? null : html`<p><${RetriesOf} agent=${agent} /></p>`}
        </li>`,
    )}
  </ul>`
}
