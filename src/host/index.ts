/**
 * # Host
 *
 * The composition root: the only room that builds running roles from concrete parts (`units.ts`, `host.ts`).
 * `host-options.ts` reads its options.
 *
 * - **Start.** It opens its port first (`status-server.ts`), so that a platform sees that the process lives.
 *   It waits for the store as long as its patience lasts, checks the preconditions (`start-up-checks.ts`),
 *   and starts one role after another.
 * - **Run.** The process is alive as long as its own loops turn (`event-loop-watch.ts`). It is ready unless
 *   the store (`store-health.ts`), its account (`account-watch.ts`) or a unit has an `unhealthyReason`;
 *   `health.ts` collects them. `metrics.ts` counts events.
 * - **Stop.** It stops reading, stores checkpoints and releases every lease, idle ones first. Then running
 *   handlers get a time limit; a step that is not done by then waits for its deadline.
 *
 * `supervise-once.ts` runs a single sweep without a host.
 *
 * Start with `host.ts`.
 */
export { startHost, type Host, type HostFigures } from './host.js'
export type { HostOptions, UnitSettings } from './host-options.js'
export { superviseOnce, type SuperviseOnceOptions } from './supervise-once.js'
