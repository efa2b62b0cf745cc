import type { JobReport } from './job-scene.js'

/** The sums of many runs, as they are printed. */
export class Totals {
  runs = 0
  events = 0
  jobs = 0
  endedUnderFaults = 0
  faults = 0
  lost = 0
  lateOutcomes = 0

  /** Adds a run. A run without jobs adds only the numbers that it has. */
  add(report: Pick<JobReport, 'eventCount' | 'faults'> & Partial<JobReport>): void {
    this.runs += 1
    this.events += report.eventCount
    this.jobs += report.acknowledged ?? 0
    this.endedUnderFaults += report.endedUnderFaults ?? 0
    for (const count of report.faults.values()) this.faults += count
    this.lost += report.lost ?? 0
    this.lateOutcomes += report.lateOutcomes ?? 0
  }

  toString(): string {
    const { runs, events, jobs, endedUnderFaults, faults, lost, lateOutcomes } = this
    return `${runs} runs, ${events} events, ${jobs} jobs, ${endedUnderFaults} of them over before faults were, ${faults} faults injected, lost ${lost}, late outcomes accepted ${lateOutcomes}`
  }
}

/** Describes the numbers of one run. */
export function countsOf(report: Parameters<Totals['add']>[0]): string {
  const { eventCount, acknowledged = 0, faults, lost = 0, lateOutcomes = 0 } = report
  const faultCount = [...faults.values()].reduce((sum, count) => sum + count, 0)
  return `${eventCount} events, ${acknowledged} jobs, ${faultCount} faults, lost ${lost}, late ${lateOutcomes}`
}
