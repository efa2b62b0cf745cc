/** @import { Kind } from '../state/action-kinds.js' */
/** @import { Schedule, ScheduleTicks } from '../state/shapes.js' */
import { ActionButtons } from '../parts/action-buttons.js'
import { Decisions } from '../parts/decisions.js'
import { html } from '../parts/html.js'
import { Facts, Link, Panel, Problem, StateBadge } from '../parts/basics.js'
import { address, addressOf, jobAddress } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { counted, lengthText, momentText, untilText } from '../state/formats.js'
import { useInterval } from '../state/live.js'

/** The changes of schedules are not pushed, so they are read again while the view is visible. */
const intervalMs = 10_000

/** @type {Kind[]} */
const creating = ['schedule set']

/** Every schedule, or one with its ticks. */
export function SchedulesView() {
  const id = address.value.query.get('schedule')
  return id === null ? html`<${All} />` : html`<${One} key=${id} id=${id} />`
}

function All() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Schedule[]>} */ (
    useLoaded('/api/schedules')
  )
  useInterval(reload, intervalMs)
  return html`<h1>Schedules</h1>
    <${Problem} error=${error} />
    <${ActionButtons} kinds=${creating} about=${{ onDone: reload }} />
    ${
      data === null
        ? html`<p class="quiet">…</p>`
        : data.length === 0
          ? html`<p class="quiet empty">
              There is no schedule. Define one here, or export one from a module. A process that starts with the module stores it.
            </p>`
          : html`<${Table} schedules=${data} />`
    }`
}

/** @param {{ schedules: Schedule[] }} props */
function Table({ schedules }) {
  const now = Date.now()
  return html`<table class="wide schedules">
    <thead>
      <tr>
        <th>Schedule</th>
        <th>Workflow</th>
        <th>Times</th>
        <th>Next</th>
        <th>Last</th>
        <th class="right">Submitted</th>
        <th class="right">Missed</th>
        <th class="right">Skipped</th>
      </tr>
    </thead>
    <tbody>
      ${schedules.map(
        (schedule) =>
          html`<tr key=${schedule.id}>
            <td><${Link} to=${addressOf('/schedules', { schedule: schedule.id })} class="id">${schedule.id}<//></td>
            <td>${schedule.workflow}</td>
            <td>${timesText(schedule)}</td>
            <td title=${schedule.nextDue} data-before="next">${nextText(schedule, now)}</td>
            <td data-before="last">
              ${
                schedule.last === null
                  ? html`<span class="quiet">none yet</span>`
                  : html`<${Link} to=${jobAddress(schedule.last)}>${momentText(schedule.last.due, now)}<//>`
              }
            </td>
            <td class="right" data-label="submitted">${schedule.submitted}</td>
            <td class=${schedule.missed > 0 ? 'right bad' : 'right'} data-label="missed">${schedule.missed}</td>
            <td class="right" data-label="skipped">${schedule.skipped}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** @param {{ id: string }} props */
function One({ id }) {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<ScheduleTicks>} */ (
    useLoaded(addressOf('/api/schedule', { id }))
  )
  useInterval(reload, intervalMs)
  if (data === null) {
    return html`<p class="quiet"><${Link} to="/schedules">all schedules<//></p>
      <h1 class="id">${id}</h1>
      <${Problem} error=${error} />${error === null ? html`<p class="quiet">…</p>` : null}`
  }
  const { schedule, next, previous } = data
  const now = Date.now()
  const { paused, overlap, catchUpMs, jitterMs, submitted, missed, skipped, workflow } = schedule
  const facts = [
    ['Workflow', html`<${Link} to=${addressOf('/jobs', { workflow })}>${workflow}<//>`],
    ['Times', timesText(schedule)],
    ['Next', nextText(schedule, now)],
    ['Overlap', overlap],
    ['Catch up', lengthText(catchUpMs)],
    ['Jitter', jitterMs === 0 ? 'none' : lengthText(jitterMs)],
    ['Ticks', `${submitted} submitted, ${missed} missed, ${skipped} skipped`],
  ]
  return html`<p class="quiet"><${Link} to="/schedules">all schedules<//></p>
    <h1 class="id">${id}</h1>
    <${Problem} error=${error} />
    ${
      paused === null
        ? null
        : html`<p class="problem">
            Paused since ${momentText(paused.since, now)} by ${paused.by}: <bdi>${paused.why}</bdi>
          </p>`
    }
    <${Actions} schedule=${schedule} reload=${reload} />
    <${Facts} facts=${facts} />
    <div class="columns">
      <div class="stack">
        <${Panel} title="Next ticks"><${NextTicks} next=${next} isPaused=${paused !== null} /><//>
        <${Panel} title="Ticks that were missed or skipped"><${Passed} schedule=${schedule} now=${now} /><//>
      </div>
      <div class="stack">
        <${Panel} title="Last ticks"><${LastTicks} previous=${previous} /><//>
        <${Panel} title="Decisions of operators"
          ><${Decisions}
            rows=${schedule.audit.map((row) => ({ ...row, what: row.command })).reverse()}
            none="No operator has decided anything about this schedule."
        /><//>
      </div>
    </div>`
}

/** @param {{ next: string[], isPaused: boolean }} props */
function NextTicks({ next, isPaused }) {
  const now = Date.now()
  if (next.length === 0)
    return html`<p class="quiet">${isPaused ? 'None during the pause.' : 'There are no more ticks.'}</p>`
  return html`<ol class="rows">
    ${next.map(
      (due) =>
        html`<li key=${due}>
          <span>${momentText(due, now)}</span> <span class="quiet">${untilText(due, now)}</span>
        </li>`,
    )}
  </ol>`
}

/** @param {{ previous: ScheduleTicks['previous'] }} props */
function LastTicks({ previous }) {
  const now = Date.now()
  if (previous.length === 0)
    return html`<p class="quiet">No tick has been due since the schedule was created.</p>`
  return html`<ol class="rows">
    ${previous.map(
      ({ due, jobId, state }) =>
        html`<li key=${due}>
          <span>${momentText(due, now)}</span>
          ${
            state === null
              ? html`<span class="quiet">no job</span>`
              : html`<${StateBadge} state=${state} /> <${Link} to=${jobAddress({ jobId })} class="id">${jobId}<//>`
          }
        </li>`,
    )}
  </ol>`
}

/** @param {{ schedule: Schedule, reload: () => void }} props */
function Actions({ schedule, reload }) {
  const { id, paused } = schedule
  const kinds = /** @type {Kind[]} */ ([
    paused === null ? 'schedule pause' : 'schedule resume',
    'schedule trigger',
    'schedule backfill',
    'schedule set',
    'schedule delete',
  ])
  return html`<${ActionButtons} kinds=${kinds} about=${{ schedule: id, present: partsOf(schedule), onDone: reload }} />`
}

/**
 * Returns the stored parts of a schedule, as the dialog shows them.
 *
 * @param {Schedule} schedule
 * @returns {Record<string, string>}
 */
function partsOf({ workflow, cron, timeZone, everyMs, overlap, catchUpMs, jitterMs }) {
  const times =
    cron === null ? { every: lengthText(everyMs ?? 0) } : { cron, ...(timeZone === null ? {} : { timeZone }) }
  return { workflow, ...times, overlap, catchUp: lengthText(catchUpMs), jitter: lengthText(jitterMs) }
}

/** @param {{ schedule: Schedule, now: number }} props */
function Passed({ schedule: { passed }, now }) {
  if (passed.length === 0) return html`<p class="quiet">None.</p>`
  return html`<ol class="rows">
    ${[...passed].reverse().map(
      ({ reason, from, to, count, message }) =>
        html`<li>
          <b class=${reason === 'late' || reason === 'refused' ? 'bad' : ''}>${reason}</b>
          <span>${counted(count, 'tick', 'ticks')}</span>
          <span class="quiet">${momentText(from, now)}${from === to ? '' : ` to ${momentText(to, now)}`}</span>
          <bdi>${message}</bdi>
        </li>`,
    )}
  </ol>`
}

/** @param {Schedule} schedule */
function timesText({ cron, timeZone, everyMs }) {
  return cron === null ? `every ${lengthText(everyMs ?? 0)}` : `${cron} (${timeZone ?? 'UTC'})`
}

/**
 * @param {Schedule} schedule
 * @param {number} now
 */
function nextText({ paused, nextDue }, now) {
  if (paused !== null) return 'paused'
  return nextDue === null ? 'never' : `${momentText(nextDue, now)}, ${untilText(nextDue, now)}`
}
