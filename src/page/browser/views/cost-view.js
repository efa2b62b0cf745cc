/** @import { CostReport } from '../state/shapes.js' */
import { Command, Panel, Problem } from '../parts/basics.js'
import { html } from '../parts/html.js'
import { address, addressOf, open } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { costCommand } from '../state/commands.js'
import { unitsText } from '../state/formats.js'
import { Charges, Numbers, Usage } from './cost-usage.js'

/** The questions, with the defaults of the command line. */
const questions = /** @type {const} */ ([
  ['steps', 'Steps of a job', '3'],
  ['claimedSteps', 'Claimed steps', '0'],
  ['documentKb', 'KB of a document', '1.1'],
  ['partitions', 'Partitions', '1'],
  ['instances', 'Instances of a role', '1'],
  ['jobsPerDay', 'Jobs a day', '10000'],
])

/** What the jobs of the last hours use, what jobs and instances would cost, and what was measured. */
export function CostView() {
  const { query } = address.value
  const given = Object.fromEntries(questions.map(([name]) => [name, query.get(name) ?? '']))
  const cost = /** @type {import('../state/api.js').Loaded<CostReport>} */ (
    useLoaded(addressOf('/api/cost', given))
  )
  return html`<h1>Cost</h1>
    <${Usage} />
    <${Charges} />
    <h2>What jobs would cost</h2>
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
                open(
                  addressOf('/cost', { ...Object.fromEntries(query), [name]: event.currentTarget.value }),
                  true,
                )}
          /></label>`,
      )}
    </form>
    <${Problem} error=${cost.error} />
    ${cost.data === null ? html`<p class="quiet">…</p>` : html`<${Computed} cost=${cost.data} />`}
    <${Command} text=${costCommand(given)} />`
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
    <div class="columns flowing">
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
