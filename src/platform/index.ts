/**
 * # Platform
 *
 * Gives a process its time, random numbers and loops. Only this room uses the machine's clocks, timers and
 * random numbers. All other code receives a `Clock` and a `Random`. A test can therefore stop the time, jump
 * forward an hour or repeat a run exactly.
 *
 * Parts:
 *
 * - Clocks: `clock.ts` contains the interface and the machine's clock, and `awake-time.ts` contains the
 *   monotonic part of that clock. `store-clock.ts` follows the store's time, with the help of
 *   `offset-estimate.ts`. `virtual-clock.ts` is the clock of tests.
 * - Random numbers: `random.ts`.
 * - Loops and work: `background-loop.ts`, `retry.ts`, `in-slices.ts` and `serial-by-key.ts`.
 * - Waiting: `time-limit.ts` and `aborted.ts`.
 * - Processes: `processes/` says whether another process of this machine has ended.
 * - Options: other rooms import `options/` through `options.ts`. `options.ts` is separate from this index
 *   because it loads zod.
 * - Helpers: `assert.ts`, `compare.ts`, `create-directory.ts`, `without-undefined.ts` and `wording.ts`.
 *
 * Start with `clock.ts`.
 */
export { systemClock, type Clock, type Timer } from './clock.js'
export { VirtualClock } from './virtual-clock.js'
export { seededRandom, type Random } from './random.js'
export type { Duration } from './options/duration.js'
export type { DurationRange, Retry } from './options/retry-option.js'
