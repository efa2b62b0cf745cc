/**
 * # Faults
 *
 * Simulates the failures of a remote service, on demand. A **fault** meets the requests that it matches, a
 * given number of times or with a probability. It **delays** them, answers an **error** or **cuts the
 * connection**. It does so before the request is processed, or after it was carried out (`afterApply`). In
 * the latter case the write stands, but its author cannot know: this is the failure that distributed programs
 * most often handle wrongly.
 *
 * A request meets at most one fault: the first added one that matches. Faults exist only in memory and are
 * lost with the process.
 *
 * `fault.ts` declares the options and `fault-match.ts` decides which requests a fault meets. Start reading in
 * `fault-injection.ts`, through which every request passes.
 */
export type { Fault, FaultOptions, Faults } from './fault.js'
export type { FaultMatch, FaultOperation, RequestMatched } from './fault-match.js'
export { FaultInjection } from './fault-injection.js'
export { faultProblems } from './fault-problems.js'
