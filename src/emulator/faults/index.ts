/**
 * # Faults
 *
 * This folder simulates the failures of a remote service, on demand. A **fault** affects the requests that it
 * matches, a given number of times or with a given probability. It **delays** a request, answers it with an
 * **error**, or **cuts the connection**. It acts before the request is carried out, or afterwards
 * (`afterApply`). In the second case, the write stays, but the client cannot know this. This is the failure
 * that distributed programs most often handle wrongly.
 *
 * At most one fault affects a request. The faults are tried in the order in which they were added. A matching
 * fault is skipped if it has no times left, or if chance decides against it. Faults exist only in memory and
 * are lost with the process.
 *
 * `fault.ts` declares the options, and `fault-match.ts` decides which requests a fault affects. Start reading
 * in `fault-injection.ts`, through which every request passes.
 */
export type { Fault, FaultOptions, Faults } from './fault.js'
export type { FaultMatch, FaultOperation, RequestMatched } from './fault-match.js'
export { FaultInjection } from './fault-injection.js'
export { faultProblems } from './fault-problems.js'
