/** @import { Finding, Lag, Lease } from '../state/shapes.js' */
import { html } from '../parts/html.js'
import { Link, Panel, Problem } from '../parts/basics.js'
import { address, addressOf } from '../state/address.js'
import { useLoaded } from '../state/api.js'
import { durationText } from '../state/formats.js'
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
  const lags = new Map(
    lag.data?.leases.map((row) => [JSON.stringify([row.processorName, row.leaseToken]), row]),
  )
  return html`<h1>Leases${processor === null ? '' : ` of ${processor}`}</h1>
    ${processor === null ? null : html`<p><${Link} to="/leases">all processors<//></p>`}
    <${Problem} error=${leases.error ?? lag.error} />
    ${
      leases.data === null
        ? html`<p class="quiet">…</p>`
        : leases.data.length === 0
          ? html`<p class="quiet empty">No instance has been started on this container yet.</p>`
          : html`<table class="leases">
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
                ${leases.data.map((lease) => {
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
                    <td>${lease.leaseToken}</td>
                    <td>${lease.owner ?? html`<span class="quiet">free</span>`}</td>
                    <td class="position">${lease.continuationToken ?? lease.notRead ?? 'none'}</td>
                    <td class="right">${row?.estimatedLag ?? '?'}</td>
                    <td class="right">
                      ${row === undefined || row.oldestAgeMs === null ? '–' : durationText(row.oldestAgeMs)}
                    </td>
                    <td class="right">${durationText(lease.ageMs)}${lease.isExpired ? ', expired' : ''}</td>
                  </tr>`
                })}
              </tbody>
            </table>`
    }
    <${Panel} title="Findings"
      ><${Problem} error=${findings.error} /><${Findings} findings=${findings.data}
    /><//>`
}
