/** @import { Kind } from '../state/action-kinds.js' */
/** @import { Instance } from '../state/fleet.js' */
/** @import { AgentsReport, Lease, Wanted } from '../state/shapes.js' */
import { ActionButtons } from '../parts/action-buttons.js'
import { Link, Panel, Problem } from '../parts/basics.js'
import { RetriesOf } from '../parts/failing-operations.js'
import { html } from '../parts/html.js'
import { about } from '../state/about.js'
import { addressOf } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { fleetOf } from '../state/fleet.js'
import { counted, durationText } from '../state/formats.js'
import { useInterval } from '../state/live.js'

/** Leases have no stream of changes, so they are read again while the view is visible. */
const intervalMs = 5_000
const mostTokens = 24
/** The interval of the reads of the wanted numbers, because a fleet may be started or scaled elsewhere. */
const wantedMs = 30_000

/** The instances that own leases. */
export function FleetView() {
  const { data, error, reload } = /** @type {import('../state/api.js').Loaded<Lease[]>} */ (
    useLoaded('/api/leases')
  )
  useInterval(reload, intervalMs)
  return html`<h1>Fleet</h1>
    <${Problem} error=${error} />
    <${Control} reload=${reload} />
    ${data === null ? html`<p class="quiet">…</p>` : html`<${Fleet} leases=${data} />`}`
}

/** @type {Kind[]} */
const kinds = ['rebalance', 'scale']

/**
 * How many instances should run, and the actions on them. Says how to name the instances if the page has none to scale.
 *
 * @param {{ reload: () => void }} props
 */
function Control({ reload }) {
  const fleetOptions = about.value?.fleetOptions
  const wanted = /** @type {import('../state/api.js').Loaded<Wanted>} */ (
    useLoaded(fleetOptions ? '/api/fleet' : null)
  )
  useInterval(wanted.reload, wantedMs)
  if (fleetOptions === undefined) return null
  if (fleetOptions === null)
    return html`<p class="quiet">
      This page was started without instances to scale: see “stepward page --help” about --state and --app-service.
    </p>`
  const onDone = () => {
    wanted.reload()
    reload()
  }
  const { data, error } = wanted
  if (data?.problem) return html`<p class="quiet">There are no instances to scale: ${data.problem}.</p>`
  return html`<${Problem} error=${error} />
    ${data === null ? null : html`<p>Instances that should run: ${wantedText(data)}.</p>`}
    <${ActionButtons} kinds=${kinds} about=${{ onDone }} />`
}

/** @param {Wanted} wanted */
function wantedText({ counts }) {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
  return parts.join(', ')
}

/** @param {{ leases: Lease[] }} props */
function Fleet({ leases }) {
  const { instances, free, versions } = fleetOf(leases)
  if (leases.length === 0)
    return html`<p class="quiet empty">No instance has been started on this container yet.</p>`
  return html`<p>
      ${`${counted(instances.length, 'instance owns', 'instances own')} ${counted(leases.length - free.length, 'lease', 'leases')}. `}
      <span class="quiet">An instance without a lease is a spare, and is not listed.</span>
    </p>
    ${
      versions.length > 1
        ? html`<p class="problem">Instances of ${counted(versions.length, 'version', 'versions')} run: ${versions.join(', ')}.</p>`
        : null
    }
    ${
      free.length === 0
        ? null
        : html`<p class="problem">
            ${counted(free.length, 'lease has', 'leases have')} no owner: ${[...new Set(free.map(({ processorName }) => processorName))].join(', ')}.
          </p>`
    }
    ${
      instances.length === 0
        ? html`<p class="bad">No instance runs.</p>`
        : html`<div class="cards">
            ${instances.map((instance) => html`<${Card} key=${instance.name} instance=${instance} />`)}
          </div>`
    }`
}

/** @param {{ instance: Instance }} props */
function Card({ instance }) {
  const { name, version, processors, leaseCount, expired, renewedMs, oldestMs, agents, clock } = instance
  const more = html`<span class="quiet">${version === null ? 'version unknown' : `version ${version}`}</span>`
  return html`<${Panel} title=${name} more=${more}>
    <p class=${expired > 0 ? 'bad' : ''}>
      ${counted(leaseCount, 'lease', 'leases')}, renewed ${durationText(renewedMs)} ago${
        leaseCount === 1 ? '' : `, the oldest ${durationText(oldestMs)} ago`
      }${expired > 0 ? `, ${expired} expired` : ''}
    </p>
    ${agents === null ? null : html`<${Slots} agents=${agents} />`}
    ${clock === null ? null : html`<p class=${clock.isRight ? 'quiet' : 'problem'}>${clock.text}</p>`}
    <ul class="rows">
      ${processors.map(
        ({ name: processor, leases }) =>
          html`<li key=${processor}>
            <${Link} to=${addressOf('/leases', { processor })}>${processor}<//>
            <span class="quiet"
              >${counted(leases.length, 'range', 'ranges')}: ${leases
                .slice(0, mostTokens)
                .map(({ leaseToken }) => leaseToken)
                .join(', ')}${leases.length > mostTokens ? ', …' : ''}</span
            >
          </li>`,
      )}
    </ul>
  <//>`
}

/**
 * The slots and the open circuits of an instance of the role agents, as its last renewal tells.
 *
 * @param {{ agents: AgentsReport }} props
 */
function Slots({ agents: { slots, busy, openCircuits, limited } }) {
  return html`<p>
      ${`${busy} of ${counted(slots, 'slot', 'slots')} busy `}
      <meter max=${slots} value=${busy} aria-label="busy slots"></meter>
    </p>
    ${
      limited.length === 0
        ? null
        : html`<ul class="rows">
            ${limited.map(
              ({ agent, slots: own, busy: used }) =>
                html`<li key=${agent}>
                  <bdi>${agent}</bdi>
                  <span class="quiet">${`${used} of its ${counted(own, 'slot', 'slots')} busy`}</span>
                </li>`,
            )}
          </ul>`
    }
    ${
      openCircuits.length === 0
        ? null
        : html`<p class="problem">
              ${`This instance does not call these agents for a while, because their remote services keep failing: ${openCircuits.join(', ')}.`}
            </p>
            ${openCircuits.map((agent) => html`<p><${RetriesOf} agent=${agent} /></p>`)}`
    }`
}
