import {
  idleCharge,
  idleCost,
  jobCharge,
  jobCost,
  limitCost,
  tickCost,
  type CostQuestion,
} from '../sas/internal.js'

const secondsPerDay = 24 * 60 * 60
/** The number of days for which the charge of a month is computed. */
export const daysPerMonth = 30

/** The request units of jobs, of ticks, and of instances without work. */
export interface CostReport {
  readonly jobs: Readonly<
    Record<
      'together' | 'apart',
      Omit<ReturnType<typeof jobCost>, 'readCharge'> & { readonly totalCharge: number }
    >
  >
  /** The request units of a tick of a schedule, besides the submission of its job. */
  readonly tickCharge: number
  /** The request units of a limit for one step or job that has room. */
  readonly limitCharge: number
  readonly idle: ReturnType<typeof idleCost> & { readonly total: number }
  /** Request units per second for jobs and idle units together, averaged over the day. */
  readonly meanCharge: number
  /** The request units that are used in thirty days. */
  readonly monthlyCharge: number
}

/** Computes the request units of jobs and of idle instances. Sends no request. */
export function costReport(question: Omit<CostQuestion, 'isTogether'>, jobsPerDay: number): CostReport {
  const job = (isTogether: boolean): CostReport['jobs']['apart'] => {
    const { writeRequests, writeCharge, feedCharge } = jobCost({ ...question, isTogether })
    return { writeRequests, writeCharge, feedCharge, totalCharge: jobCharge({ ...question, isTogether }) }
  }
  const [together, idle] = [job(true), idleCost({ ...question, isTogether: true })]
  const total = idleCharge(idle)
  const meanCharge = (together.totalCharge * jobsPerDay) / secondsPerDay + total
  return {
    jobs: { together, apart: job(false) },
    tickCharge: tickCost(question),
    limitCharge: limitCost(question),
    idle: { ...idle, total },
    meanCharge,
    monthlyCharge: meanCharge * secondsPerDay * daysPerMonth,
  }
}
