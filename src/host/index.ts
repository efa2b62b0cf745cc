/**
 * # Host
 *
 * The composition root: the only room that builds running roles from concrete parts (`units.ts`, `host.ts`).
 * `host-options.ts` reads the options of a host.
 *
 * - **Start.** The host opens its port first (`status-server.ts`), so that a platform sees that the process
 *   is alive. The host waits for the store for at most the time in `patience`, checks the preconditions
 *   (`start-up-checks.ts`), and starts one role after another.
 * - **Run.** The process is alive as long as its own loops run and its event loop is not blocked
 *   (`event-loop-watch.ts`). It is ready unless the store (`store-health.ts`), its account
 *   (`account-watch.ts`) or a unit has an `unhealthyReason`; `health.ts` collects these reasons. `metrics.ts`
 *   counts events.
 * - **Stop.** The host stops reading, stores checkpoints and releases every lease, idle leases first. Then
 *   running handlers get a time limit. If a step is not done within this limit, its deadline decides.
 *
 * `host-page.ts` serves the page for operators, if an option says so.
 *
 * `supervise-once.ts` runs a single sweep without a host.
 *
 * Start with `host.ts`.
 */
export { startHost, type Host, type HostFigures, type HostPage } from './host.js'
export type { EntraSettings, PageSettings } from './host-page.js'
export type { HostOptions, UnitSettings } from './host-options.js'
export { superviseOnce, type SuperviseOnceOptions } from './supervise-once.js'
