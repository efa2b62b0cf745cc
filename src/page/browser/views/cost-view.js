/** @import { ChargeReport, CostReport } from '../state/shapes.js' */
import { Command, Link, Panel, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { address, addressOf, open } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { costCommand } from '../state/commands.js'
import { momentText, unitsText } from '../state/formats.js'
import { useInterval } from '../state/live.js'

const chargesMs = 5_000

/** The questions, with the defaults of the command line. */
const questions = /** @type {const} */ ([
  ['steps', 'Steps of a job', '3'],
  ['claimedSteps', 'Claimed steps', '0'],
  ['documentKb', 'KB of a document', '1.1'],
  ['partitions', 'Partitions', '1'],
  ['instances', 'Instances of a role', '1'],
  ['jobsPerDay', 'Jobs a day', '10000'],
])

/** What jobs and instances cost, computed, and what this page has cost. */
export function CostView() {
  const { query } = address.value
  const given = Object.fromEntries(questions.map(([name]) => [name, query.get(name) ?? '']))
  const cost = /** @type {import('../state/api.js').Loaded<CostReport>} */ (
    useLoaded(addressOf('/api/cost', given))
  )
  return html`<h1>Cost</h1>
    <form class="filters" aria-label="Questions" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      ${questions.map(
        ([name, label, fallback]) =>
          html`<label
            >${label}
            <input
              type="number"
              min="0"
              step=${name === 'documentKb' ? '0.1' : '1'}
              name=${name}
              placeholder=${fallback}
              value=${given[name]}
              onChange=${(/** @type {any} */ event) =>
                open(addressOf('/cost', { ...given, [name]: event.currentTarget.value }), true)}
          /></label>`,
      )}
    </form>
    <${Problem} error=${cost.error} />
    ${cost.data === null ? html`<p class="quiet">…</p>` : html`<${Computed} cost=${cost.data} />`}
    <${Command} text=${costCommand(given)} />
    <${Charges} />`
}

/** @param {{ cost: CostReport }} props */
function Computed({ cost }) {
  const { jobs, tickCharge, idle, meanCharge, monthlyCharge, workflows } = cost
  const tiles = /** @type {const} */ ([
    [meanCharge, 'RU a second on average'],
    [monthlyCharge / 1e6, 'million RU in 30 days'],
    [jobs.together.totalCharge, 'RU a job, one process'],
    [idle.total, 'RU a second without work'],
  ])
  return html`<div class="tiles">
      ${tiles.map(
        ([value, what]) =>
          html`<div class="tile"><span class="number">${unitsText(value)}</span><span>${what}</span></div>`,
      )}
    </div>
    <div class="columns">
      <${Panel} title="A job">
        <${Numbers}
          head=${['', 'one process', 'roles apart']}
          rows=${[
            ['write requests', jobs.together.writeRequests, jobs.apart.writeRequests],
            ['writes, RU', jobs.together.writeCharge, jobs.apart.writeCharge],
            ['change feed, RU at most', jobs.together.feedCharge, jobs.apart.feedCharge],
            ['together, RU at most', jobs.together.totalCharge, jobs.apart.totalCharge],
          ]}
        />
      <//>
      <${Panel} title="Without work, RU a second">
        <${Numbers}
          head=${['', 'RU']}
          rows=${[
            ['polls', idle.polls],
            ['lease renewals', idle.renewals],
            ['checks of leases', idle.looksAtLeases],
            ['sweeps for overlooked work', idle.sweeps],
            ['reads of pauses', idle.pauses],
            ['together', idle.total],
          ]}
        />
        <p class="quiet">A tick of a schedule costs ${unitsText(tickCharge)} RU besides its job.</p>
      <//>
      <${Panel} title="A job of each workflow, RU at most">
        ${
          workflows.length === 0
            ? html`<p class="quiet">Start the page with <code>--workflows MODULE</code> to see its workflows here.</p>`
            : html`<${Numbers}
                head=${['', 'steps', 'one process', 'roles apart']}
                rows=${workflows.map(({ name, steps, together, apart }) => [name, steps, together, apart])}
              />`
        }
      <//>
    </div>`
}

/** What this page has cost since its server was started. */
function Charges() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<ChargeReport>} */ (
    useLoaded('/api/charges')
  )
  useInterval(reload, chargesMs)
  const rows = data?.rows ?? []
  const sum = rows.reduce((total, { charge }) => total + charge, 0)
  return html`<${Panel} title="What this page has used">
    <${Problem} error=${error} />
    ${
      data === null
        ? html`<p class="quiet">…</p>`
        : html`<p>
              ${`${unitsText(sum)} RU on the state container since ${momentText(data.since, Date.now())}, for all browsers. `}
              Not counted are the reads of the view <${Link} to="/leases">Leases<//> and of the lag.
            </p>
            <${Numbers}
              head=${['request', 'requests', 'RU']}
              rows=${rows.map(({ operation, requests, charge }) => [operation, requests, charge])}
            />`
    }
  <//>`
}

/** @param {{ head: string[], rows: (string | number)[][] }} props */
function Numbers({ head, rows }) {
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
