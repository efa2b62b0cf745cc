/**
 * # Platform
 *
 * What a process is given: time, chance, loops. This is the only room that touches the machine's clocks, timers and
 * random numbers; everything else receives a `Clock` and a `Random`, so that a test can stand still, jump an hour or
 * repeat a run exactly.
 */
export { systemClock, type Clock, type Timer } from './clock.js'
export { StoreClock } from './store-clock.js'
export { VirtualClock } from './virtual-clock.js'
export { seededRandom, systemRandom, type Random } from './random.js'
export { BackgroundLoop, type BackgroundLoopOptions } from './background-loop.js'
export { backoffDelayMs, retry, type Backoff, type RetryOptions } from './retry.js'
export { errorMessage } from './error-message.js'
export { inSlices } from './in-slices.js'
export { unknownOptions } from './unknown-options.js'
export { assert, assertNever, AssertionError } from './assert.js'
