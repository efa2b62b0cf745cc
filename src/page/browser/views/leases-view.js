/** @import { Look } from '../state/heat.js' */
/** @import { Finding, Lag, Lease } from '../state/shapes.js' */
import { useEffect, useState } from 'preact/hooks'
import { DeadLetters } from '../parts/dead-letters.js'
import { HeatMap } from '../parts/heat-map.js'
import { html } from '../parts/html.js'
import { Link, Panel, Problem } from '../parts/basics.js'
import { address, addressOf } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { durationText } from '../state/formats.js'
import { withLook } from '../state/heat.js'
import { useInterval } from '../state/live.js'
import { Findings } from './now-view.js'

/** Leases have no stream of changes, so they are read again while the view is visible. */
const intervalMs = 5_000

/** The instance that reads each feed range, its lag, and what is wrong. */
export function LeasesView() {
  const processor = address.value.query.get('processor')
  const leases = /** @type {import('../state/api.js').Loaded<Lease[]>} */ (
    useLoaded(addressOf('/api/leases', { processor }))
  )
  const lag = /** @type {import('../state/api.js').Loaded<Lag>} */ (
    useLoaded(addressOf('/api/lag', { processor }))
  )
  const findings = /** @type {import('../state/api.js').Loaded<Finding[]>} */ (
    useLoaded(addressOf('/api/findings', { processor }))
  )
  useInterval(() => {
    leases.reload()
    lag.reload()
  }, intervalMs)
  const [looks, setLooks] = useState(/** @type {readonly Look[]} */ ([]))
  const newest = lag.data
  useEffect(() => {
    if (newest !== null) setLooks((old) => withLook(old, newest.leases, Date.now()))
  }, [newest])
  return html`<h1>Leases${processor === null ? '' : ` of ${processor}`}</h1>
    ${processor === null ? null : html`<p><${Link} to="/leases">all processors<//></p>`}
    <${Problem} error=${leases.error ?? lag.error} />
    ${
      leases.data === null
        ? html`<p class="quiet">…</p>`
        : leases.data.length === 0
          ? html`<p class="quiet empty">No instance has been started on this container yet.</p>`
          : html`<${Table} leases=${leases.data} lag=${lag.data} />`
    }
    ${
      leases.data?.length === 0
        ? null
        : html`<${Panel} title="Lag while this view is open"><${HeatMap} looks=${looks} /><//>`
    }
    <${DeadLetters} />
    <${Panel} title="Findings"
      ><${Problem} error=${findings.error} /><${Findings} findings=${findings.data}
    /><//>`
}

/** @param {{ leases: Lease[], lag: Lag | null }} props */
function Table({ leases, lag }) {
  const lags = new Map(lag?.leases.map((row) => [JSON.stringify([row.processorName, row.leaseToken]), row]))
  return html`<table class="leases">
              <thead>
                <tr>
                  <th>Processor</th>
                  <th>Lease</th>
                  <th>Owner</th>
                  <th>Position</th>
                  <th class="right">Behind</th>
                  <th class="right">Oldest</th>
                  <th class="right">Renewed</th>
                </tr>
              </thead>
              <tbody>
                ${leases.map((lease) => {
                  const row = lags.get(JSON.stringify([lease.processorName, lease.leaseToken]))
                  return html`<tr
                    key=${lease.processorName + lease.leaseToken}
                    class=${lease.isExpired ? 'is-bad' : ''}
                  >
                    <td>
                      <${Link} to=${addressOf('/leases', { processor: lease.processorName })}
                        >${lease.processorName}<//
                      >
                    </td>
                    <td data-before="lease">${lease.leaseToken}</td>
                    <td data-before="of">${lease.owner ?? html`<span class="quiet">free</span>`}${
                      lease.requestedBy === null
                        ? null
                        : html`<span class="quiet">, requested by ${lease.requestedBy}</span>`
                    }</td>
                    <td class="position" data-before="at">${lease.continuationToken ?? lease.notRead ?? 'none'}</td>
                    <td class="right" data-label="behind">${row?.estimatedLag ?? '?'}</td>
                    <td class="right" data-before="oldest">
                      ${row === undefined || row.oldestAgeMs === null ? '–' : durationText(row.oldestAgeMs)}
                    </td>
                    <td class="right" data-before="renewed">${durationText(lease.ageMs)} ago${lease.isExpired ? ', expired' : ''}</td>
                  </tr>`
                })}
              </tbody>
            </table>`
}
