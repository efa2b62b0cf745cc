/**
 * # Faults
 *
 * What a service on the other side of a network does to its clients, on demand: a **fault** meets the requests it matches,
 * so many times or with a probability, and **delays** them, answers an **error** or **cuts the connection**. It does so
 * before the request is looked at, or after it was carried out (`afterApply`): then the write stands and its author cannot
 * know, which is the failure that distributed programs are most often wrong about.
 *
 * A request meets at most one fault, the first that was added and fits. Faults live as long as the process; nothing of
 * them is written to disk.
 */
export type { Fault, FaultOptions, Faults } from './fault.js'
export type { FaultMatch, FaultOperation, RequestMatched } from './fault-match.js'
export { FaultInjection } from './fault-injection.js'
export { faultProblems } from './fault-problems.js'
