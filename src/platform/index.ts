/**
 * # Platform
 *
 * Gives a process its time, random numbers and loops. Only this room touches the machine's clocks, timers and
 * random numbers. All other code receives a `Clock` and a `Random`. A test can therefore stop the time, jump an
 * hour or repeat a run exactly.
 *
 * Parts:
 *
 * - Clocks: `clock.ts` has the interface and the machine's clock, `awake-time.ts` its monotonic part.
 *   `store-clock.ts` follows the store's time, with `offset-estimate.ts`. `virtual-clock.ts` is the clock of
 *   tests.
 * - Random numbers: `random.ts`.
 * - Loops and retries: `background-loop.ts` and `retry.ts`.
 * - Waiting: `time-limit.ts` and `aborted.ts`.
 * - Options: `options.ts` is the door to `options/`, apart from this one because it loads zod.
 * - Helpers: `assert.ts`, `compare.ts`, `counted.ts`, `error-message.ts` and `without-undefined.ts`.
 *
 * Start with `clock.ts`.
 */
export { systemClock, type Clock, type Timer } from './clock.js'
export { StoreClock } from './store-clock.js'
export { VirtualClock } from './virtual-clock.js'
export { seededRandom, systemRandom, type Random } from './random.js'
export { BackgroundLoop, type BackgroundLoopOptions } from './background-loop.js'
export { backoffDelayMs, retry, type RetryOptions } from './retry.js'
export { isAborted, unlessAborted } from './aborted.js'
export { noticingLate, withinLimit } from './time-limit.js'
export { compare } from './compare.js'
export { counted } from './counted.js'
export { errorMessage } from './error-message.js'
export { inSlices } from './in-slices.js'
export { SerialByKey } from './serial-by-key.js'
export { withoutUndefined } from './without-undefined.js'
export { assert, assertNever, AssertionError } from './assert.js'
export { durationMs, isInstant, type Duration } from './options/duration.js'
export type { Backoff, DurationRange, ResolvedRetry, Retry } from './options/retry-option.js'
