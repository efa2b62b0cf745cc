import { kind, optional, wholeNumber } from '../../platform/options.js'

/** The numbers of a limit that an operator sets in place of those of the workflow. */
export interface LimitRules {
  /** The largest number of steps at work at once, at most 1,000. 0 lets no step begin. Default: no such limit. */
  readonly atOnce?: number
  /** The largest number of attempts that begin in a second, on average. Default: no such limit. */
  readonly perSecond?: number
  /** The largest number of attempts that may begin at once after a quiet time. Default: those of a second. */
  readonly burst?: number
}

/** The largest number of steps at once. The document of a gate names each of them. */
export const maxAtOnce = 1_000

/** The same for a limit of one partition. It is part of the transactions of its jobs, so it must stay small. */
export const maxAtOnceInPartition = 100

/** The shape of the numbers of a limit. */
export const rulesShape = {
  atOnce: optional(wholeNumber(1, maxAtOnce)),
  perSecond: optional(
    kind<number>('a number from 0.0001 to 10,000', (value) => {
      return typeof value === 'number' && value >= 0.0001 && value <= 10_000
    }),
  ),
  burst: optional(wholeNumber(1, 10_000)),
}

type Numbers = { readonly [K in keyof LimitRules]: LimitRules[K] | undefined }

/** Returns what is wrong with the numbers of a limit together. */
export function rulesProblems({ atOnce, perSecond, burst }: Numbers): readonly string[] {
  if (atOnce === undefined && perSecond === undefined) return ['a limit needs atOnce or perSecond']
  return burst !== undefined && perSecond === undefined ? ['burst needs perSecond'] : []
}
