import { z } from 'zod'
import { json } from './values/plain-json.js'

/** How many steps may be at a gate at once, and how many attempts may begin in a second. */
export const gateRules = z.object({
  /** The largest number of steps inside the gate. Missing means no limit. */
  atOnce: z.number().int().optional(),
  /** The largest number of attempts that begin in a second, on average. Missing means no limit. */
  perSecond: z.number().optional(),
  /** The largest number of attempts that may begin at once after a quiet time. */
  burst: z.number().int().optional(),
})

/** A limit of a step, as the submission stored it. */
export const limit = gateRules.extend({
  /** The key of the gate, with references. */
  key: json,
  /** The group of the job among the jobs that wait at the gate, with references. Missing means one group. */
  fairBy: json.optional(),
  /** True if each partition key has a limit of its own, which lives beside the jobs. Otherwise missing. */
  perPartition: z.boolean().optional(),
})

/** The rate of a gate. Without `perSecond` the gate has none. */
export const gateRate = gateRules.pick({ perSecond: true, burst: true })

/** A gate that a step has entered or at which it waits. */
export const gateOfStep = gateRules.extend({
  key: z.string(),
  group: z.string(),
  /** The rate by which the gate gave the time of the attempt. Missing if it is the rate of the workflow, which stands beside it. */
  given: gateRate.optional(),
})

/** The number of a waiter in the queue of a group and priority. A missing priority is 0. */
const turn = z.object({ group: z.string(), number: z.number().int(), priority: z.number().optional() })

/**
 * The place of a step at its gates. It exists from the first dispatch until the step begins again.
 */
export const place = z.object({
  /** The step's dispatch number before it began, which tells its places apart from those of its other runs. */
  entry: z.number().int(),
  gates: z.array(gateOfStep),
  /** The key of the gate at which the step waits. Null if it has entered all its gates. */
  waitsFor: z.string().nullable(),
  /** The step's place in a queue of that gate. Null if the step is in no queue. */
  turn: turn.nullable(),
  /** The time since when the step waits, ISO-8601 UTC. */
  since: z.string().nullable(),
  /** The time that a rate has reserved for the next attempt, in milliseconds since the epoch, or null. */
  reservedMs: z.number().nullable(),
  /** The key of the gate whose rate has reserved that time. Other rates may follow. Missing if none follows. */
  reservedAt: z.string().optional(),
})

export type PlanLimit = z.infer<typeof limit>
export type GateRules = z.infer<typeof gateRules>
export type GateRate = z.infer<typeof gateRate>
export type GateOfStep = z.infer<typeof gateOfStep>
export type Turn = z.infer<typeof turn>
export type Place = z.infer<typeof place>

/** Returns the rate by which a gate gave the time of the attempt. An operator or a newer job may have set another one since. */
export function rateOf({ given, perSecond, burst }: GateOfStep): GateRate {
  return given ?? { perSecond, burst }
}

/** Returns a gate with the rate that has just given the time of the attempt, or as it is without a new time. */
export function withRate(gate: GateOfStep, rate: GateRate | undefined): GateOfStep {
  if (rate === undefined) return gate
  const { given, ...rest } = gate
  const { perSecond, burst } = rate
  if (perSecond === gate.perSecond && burst === gate.burst) return given === undefined ? gate : rest
  return {
    ...rest,
    given: { ...(perSecond !== undefined && { perSecond }), ...(burst !== undefined && { burst }) },
  }
}
