/** @import { ChargeReport, ChargeRows, UsageReport, UserRow } from '../state/shapes.js' */
import { Command, Link, Panel, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { about } from '../state/about.js'
import { address, addressOf, open } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { usageCommand } from '../state/commands.js'
import { counted, momentText, unitsText } from '../state/formats.js'
import { useInterval } from '../state/live.js'
import { hourMs, overText, shareText } from '../state/pace.js'

const chargesMs = 5_000

/** What the jobs of the last hours use, and how much of the throughput that is. */
export function Usage() {
  const { query } = address.value
  const given = { hours: query.get('hours') ?? '', provisioned: query.get('provisioned') ?? '' }
  const { data, error, isReading, reload } = /** @type {import('../state/api.js').Loaded<UsageReport>} */ (
    useLoaded(addressOf('/api/usage', given))
  )
  const change = (/** @type {string} */ name) => (/** @type {any} */ event) =>
    open(addressOf('/cost', { ...Object.fromEntries(query), [name]: event.currentTarget.value }), true)
  return html`<form class="filters" aria-label="Time" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      <label
        >Last hours
        <input type="number" min="1" max="744" name="hours" placeholder="24" value=${given.hours} onChange=${change('hours')}
      /></label>
      <label
        >Provisioned RU a second
        <input
          type="number"
          min="1"
          name="provisioned"
          placeholder=${data?.forecast.throughput.requestUnits ?? 'unknown'}
          value=${given.provisioned}
          onChange=${change('provisioned')}
      /></label>
      <button type="button" disabled=${isReading} onClick=${reload}>Read again</button>
    </form>
    <${Problem} error=${error} />
    ${data === null ? (error === null ? html`<p class="quiet">…</p>` : null) : html`<${Used} usage=${data} />`}
    <${Command} text=${usageCommand(given, about.value?.storeArguments ?? [])} />`
}

/** @param {{ usage: UsageReport }} props */
function Used({ usage }) {
  const { workflows, roles, feeds, forecast, assumed, ended, jobs, since, until, isCut, charge } = usage
  return html`<${Forecast} forecast=${forecast} overMs=${Date.parse(until) - Date.parse(since)} />
    <p class="quiet">
      <b>Computed</b>${` from ${counted(ended, 'job that has', 'jobs that have')} ended, of ${counted(jobs, 'job', 'jobs')} submitted since ${momentText(since, Date.now())}, ${isCut ? 'the newest that are read, ' : ''}and from the leases: ${counted(assumed.instances, 'instance', 'instances')} of each role, ${assumed.isTogether ? 'all roles in one process' : 'roles apart'}, ${counted(assumed.partitions, 'partition', 'partitions')}. Charges of the change feed are upper limits. Read for ${unitsText(charge)} RU.`}
    </p>
    <div class="columns flowing">
      <${Panel} title="By workflow, computed">
        ${
          workflows.length === 0
            ? html`<p class="quiet">No job has ended in this time.</p>`
            : html`<${Numbers}
                head=${['workflow', 'ended', 'an hour', 'RU a job', 'RU/s']}
                rows=${workflows.map((row) => [
                  html`<${Link} to=${addressOf('/jobs', { workflow: row.workflow })}><bdi>${row.workflow}</bdi><//>`,
                  row.ended,
                  row.perHour,
                  row.jobCharge,
                  row.charge,
                ])}
              />`
        }
      <//>
      <${Panel} title="By role, computed, RU/s">
        <${Numbers}
          head=${['role', 'writes', 'changes', 'at rest', 'together']}
          rows=${roles.map(({ role, writes, changes, idle, total }) => [role, writes, changes, idle, total])}
        />
      <//>
      <${Panel} title="By feed, computed, RU/s">
        <${Numbers}
          head=${['feed of', 'changes', 'polls', 'leases']}
          rows=${feeds.map(({ role, changes, polls, leases }) => [role, changes, polls, leases])}
        />
        <p class="quiet">Polls cost nothing while there is work. <${Link} to="/leases">Leases<//> shows each range.</p>
      <//>
    </div>`
}

/**
 * Compares the use with the throughput. In a time below an hour, no hour is the busiest.
 *
 * @param {{ forecast: UsageReport['forecast'], overMs: number }} props
 */
function Forecast({
  forecast: { mean, busiest, idle, busiestHour, throughput, share, jobsPerHour },
  overMs,
}) {
  const { requestUnits, kind, of, reason } = throughput
  const tiles = /** @type {[string, string][]} */ ([
    [unitsText(mean), `RU/s on average over ${overText(overMs)}`],
    ...(overMs >= hourMs
      ? [
          [
            unitsText(busiest),
            `RU/s in the busiest hour${busiestHour === null ? '' : ` (${momentText(busiestHour, Date.now())})`}`,
          ],
        ]
      : []),
    [unitsText(idle), 'RU/s without work'],
    ...(requestUnits === null
      ? []
      : [[unitsText(requestUnits), `RU/s provisioned (${of === null ? kind : `${kind}, of the ${of}`})`]]),
    ...(jobsPerHour === null ? [] : [[unitsText(jobsPerHour), 'jobs an hour fit into the throughput']]),
  ])
  const percent = Math.round((share ?? 0) * 1_000) / 10
  return html`<div class="tiles">
      ${tiles.map(([value, what]) => html`<div class="tile"><span class="number">${value}</span><span>${what}</span></div>`)}
    </div>
    ${
      share === null
        ? html`<p class="why">There is no throughput to compare with: <bdi>${reason}</bdi>. Type one above to compare.</p>`
        : html`<div class=${share > 0.8 ? 'share high' : 'share'}>
            <label
              >${shareText(share, overMs)}
              <meter min="0" max="100" value=${Math.min(100, percent)}></meter>
            </label>
          </div>`
    }`
}

/** What was measured: the charges of this page and of the host in its process. */
export function Charges() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<ChargeReport>} */ (
    useLoaded('/api/charges')
  )
  useInterval(reload, chargesMs)
  if (data === null)
    return html`<${Problem} error=${error} />${error === null ? html`<p class="quiet">…</p>` : null}`
  return html`<${Problem} error=${error} />
    <div class="columns">
      <${Panel} title="This process, measured">
        ${
          data.host === null
            ? html`<p class="quiet">
                This process runs no roles, so there is nothing to measure here. Each process of a role reports ${' '}
                <code>stepward_user_request_charge_total</code> at <code>/metrics</code>, also if it is attached to an
                embedded store.
              </p>`
            : html`<${ByUser} users=${data.host.users} page=${data} since=${data.host.since} />
                <${Measured} rows=${data.host} of="for the roles of this process" />`
        }
      <//>
      <${Panel} title="What this page has used, measured">
        <${Measured} rows=${data} of="for requests to the state container, from all browsers" />
        <p class="quiet">These figures leave out reads of leases, of the lag and of the throughput.</p>
      <//>
    </div>`
}

/** @type {Record<string, string>} */
const userTexts = {
  feed: 'feed, shared by the roles',
  client: 'client: submits and asks',
  others: 'other requests',
}

/**
 * What each role, the client and this page have used.
 *
 * @param {{ users: UserRow[], page: ChargeRows, since: string }} props
 */
function ByUser({ users, page, since }) {
  const seconds = Math.max(1, (Date.now() - Date.parse(since)) / 1_000)
  const ofPage = {
    user: 'this page',
    requests: page.rows.reduce((sum, { requests }) => sum + requests, 0),
    charge: page.rows.reduce((sum, { charge }) => sum + charge, 0),
  }
  return html`<${Numbers}
    head=${['user', 'requests', 'RU', 'RU/s']}
    rows=${[...users, ofPage].map(({ user, requests, charge }) => [
      userTexts[user] ?? user,
      requests,
      charge,
      charge / seconds,
    ])}
  />`
}

/** @param {{ rows: ChargeRows, of: string }} props */
function Measured({ rows: { since, rows }, of }) {
  const sum = rows.reduce((total, { charge }) => total + charge, 0)
  const seconds = Math.max(1, (Date.now() - Date.parse(since)) / 1_000)
  return html`<p>
      ${`${unitsText(sum)} RU ${of} since ${momentText(since, Date.now())}: ${unitsText(sum / seconds)} RU/s.`}
    </p>
    <details>
      <summary>By request</summary>
      <${Numbers}
        head=${['request', 'requests', 'RU']}
        rows=${rows.map(({ operation, requests, charge }) => [operation, requests, charge])}
      />
    </details>`
}

/** @param {{ head: string[], rows: [unknown, ...(string | number)[]][] }} props */
export function Numbers({ head, rows }) {
  return html`<table class="numbers">
    <thead>
      <tr>
        ${head.map((name, column) =>
          name === '' ? html`<td></td>` : html`<th class=${column === 0 ? '' : 'right'}>${name}</th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name, ...values]) =>
          html`<tr>
            <td>${name}</td>
            ${values.map((value) => html`<td class="right">${unitsText(Number(value))}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
}
