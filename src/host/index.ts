/**
 * # Host
 *
 * The composition root: the only room that builds running roles out of concrete parts (`units.ts`, `host.ts`).
 *
 * **A start** opens its port first, so that a platform sees that the process lives. It waits for the store as long as its
 * patience lasts, checks what must hold (`start-up-checks.ts`), and starts one role after another. **While it runs** it is
 * alive as long as its own loops turn (`health.ts`). A store that is away makes it less than ready, never less than alive,
 * and is reported once (`store-trouble.ts`). **A stop** reads no more, gives handlers their budget, stores checkpoints and
 * releases every lease, idle ones first.
 */
export { startHost, type Host, type HostFigures, type HostOptions } from './host.js'
export { serveStatus } from './status-server.js'
export { superviseOnce, type SuperviseOnceOptions } from './supervise-once.js'
