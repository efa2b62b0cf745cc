/**
 * # Host
 *
 * The composition root: the only room that builds running roles from concrete parts (`units.ts`, `notifying.ts`,
 * `host.ts`).
 *
 * - **Start.** It opens its port first (`status-server.ts`), so that a platform sees that the process lives. It
 *   waits for the store as long as its patience lasts, checks the preconditions (`start-up-checks.ts`), and starts
 *   one role after another.
 * - **Run.** The process is alive as long as its own loops turn (`health.ts`). If the store does not answer, the
 *   process is not ready but still alive, and this is reported once (`store-trouble.ts`). `account-watch.ts`
 *   checks the account from time to time, and `unwell-units.ts` lists the units that take no work. `metrics.ts`
 *   counts events.
 * - **Stop.** It stops reading, stores checkpoints and releases every lease, idle ones first. Then running handlers
 *   get a time limit; a step that is not done by then waits for its deadline.
 *
 * `supervise-once.ts` runs a single sweep without a host.
 *
 * Start with `host.ts`.
 */
export { startHost, type Host, type HostFigures, type HostOptions } from './host.js'
export type { NotifyingSettings } from './notifying.js'
export { superviseOnce, type SuperviseOnceOptions } from './supervise-once.js'
export type { UnitSettings } from './units.js'
