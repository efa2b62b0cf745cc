import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { ActionDialog } from './parts/action-dialog.js'
import { Link } from './parts/basics.js'
import { html } from './parts/html.js'
import { about } from './state/about.js'
import { HistoryView } from './past/history-view.js'
import { address } from './state/address.js'
import { read, signedOut, slowRequests } from './state/api.js'
import { follow, stream, useInterval } from './state/live.js'
import { AuditView } from './views/audit-view.js'
import { CostView } from './views/cost-view.js'
import { FleetView } from './views/fleet-view.js'
import { InboxView } from './views/inbox-view.js'
import { JobView } from './views/job-view.js'
import { JobsView } from './views/jobs-view.js'
import { LeasesView } from './views/leases-view.js'
import { NowView } from './views/now-view.js'
import { OperationsView } from './views/operations-view.js'
import { LimitsView } from './views/limits-view.js'
import { PausesView } from './views/pauses-view.js'
import { SchedulesView } from './views/schedules-view.js'
import { TailView } from './views/tail-view.js'

const views = /** @type {const} */ ([
  { path: '/', name: 'Now', View: NowView },
  { path: '/inbox', name: 'Inbox', View: InboxView },
  { path: '/jobs', name: 'Jobs', View: JobsView },
  { path: '/tail', name: 'Tail', View: TailView },
  { path: '/schedules', name: 'Schedules', View: SchedulesView },
  { path: '/limits', name: 'Limits', View: LimitsView },
  { path: '/pauses', name: 'Pauses', View: PausesView },
  { path: '/fleet', name: 'Fleet', View: FleetView },
  { path: '/leases', name: 'Leases', View: LeasesView },
  { path: '/operations', name: 'Operations', View: OperationsView },
  { path: '/audit', name: 'Audit', View: AuditView },
  { path: '/cost', name: 'Cost', View: CostView },
])

function App() {
  const { path, query } = address.value
  const known = views.find((view) => view.path === path)
  const isOfJob = path === '/job' || path === '/history'
  const jobId = query.get('jobId') ?? 'Job'
  const name = isOfJob ? `${path === '/history' ? 'History of ' : ''}${jobId}` : (known?.name ?? 'No view')
  useEffect(() => {
    document.title = `${name} · Stepward`
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [name])
  if (signedOut.value !== '') return html`<main id="main" class="signed-out"><${SignedOut} /></main>`
  const View = path === '/job' ? JobView : path === '/history' ? HistoryView : (known?.View ?? NoView)
  return html`<header>
      <${Link} to="/" class="brand"><img src="/page/icon.svg" alt="" width="20" height="20" /> Stepward<//>
      <nav aria-label="Views">
        ${views.map(
          (view) =>
            html`<${Link}
              to=${view.path}
              isCurrent=${view.path === path || (view.path === '/jobs' && isOfJob)}
              >${view.name}<//
            >`,
        )}
      </nav>
      <span class="quiet store" title=${`the store: ${about.value?.store ?? ''}`}>${about.value?.store ?? ''}</span>
      <${Who} />
      <${Connection} />
    </header>
    <main id="main" tabindex="-1">
      <${View} key=${isOfJob ? `${path} ${jobId}` : path} />
    </main>
    <${ActionDialog} />`
}

/** The view of an address that belongs to no other view. */
function NoView() {
  return html`<h1>There is no such view</h1>
    <p>The page has no view at <bdi class="id">${address.value.path}</bdi>. It has these views:</p>
    <ul>
      ${views.map(({ path, name }) => html`<li><${Link} to=${path}>${name}<//></li>`)}
    </ul>`
}

/** The person, if others use the page too. At a person's own machine the name is known. */
function Who() {
  const { by, roles = [] } = about.value ?? {}
  if (by === undefined || roles.includes('Admin')) return null
  return html`<span class="quiet">${by} (${roles.join(', ')})</span>`
}

function Connection() {
  const { isOpen, trouble } = stream.value
  if (trouble !== null)
    return html`<span class="live bad" role="status">the store does not answer: ${trouble}</span>`
  if (slowRequests.value > 0)
    return html`<span class="live bad" role="status">the store answers slowly</span>`
  return html`<span class=${isOpen ? 'live' : 'live bad'} role="status"
    >${isOpen ? 'live' : 'not connected'}</span
  >`
}

/** The interval at which a tab checks whether the server answers, or whether another tab has signed in. */
const lookMs = 5_000

function SignedOut() {
  useInterval(() => {
    read('/api/about').then(
      () => location.reload(),
      () => undefined,
    )
  }, lookMs)
  return html`<h1>This browser is not signed in</h1>
    <p>${signedOut.value}</p>`
}

/** Asks the server for the store and the person until it answers, and then follows the changes of the store. */
function introduce() {
  read('/api/about').then(
    (found) => {
      about.value = found
      follow()
    },
    () => {
      // A signed-out browser shows `SignedOut`, which checks this itself.
      if (signedOut.value === '') setTimeout(introduce, lookMs)
    },
  )
}

const place = document.getElementById('page')
if (place !== null) {
  introduce()
  place.replaceChildren()
  render(html`<${App} />`, place)
}
