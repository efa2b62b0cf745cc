import Table from 'cli-table3'
import { median } from '../../bench/figure.js'

/** The state of the process at the end of an interval, and the jobs of that interval. */
export interface Sample {
  readonly minute: number
  readonly jobs: number
  /** Jobs that did not end well, since the start. */
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly residentMiB: number
  readonly heapMiB: number
  readonly diskMiB: number
  readonly openFiles: number
}

/**
 * How much the median of the last quarter may exceed that of the third quarter. Garbage collection and other
 * programs on the machine make the figures vary.
 */
const limits: Readonly<Partial<Record<keyof Sample, { readonly factor: number; readonly plus: number }>>> = {
  p50Ms: { factor: 1.5, plus: 5 },
  residentMiB: { factor: 1.1, plus: 30 },
  heapMiB: { factor: 1.2, plus: 30 },
  diskMiB: { factor: 1.1, plus: 30 },
  openFiles: { factor: 1, plus: 5 },
}

/** Returns what grew without bound: a sentence for each figure that still grows in the last quarter. */
export function growing(samples: readonly Sample[]): readonly string[] {
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  const [third, last] = [samples.slice(-2 * quarter, -quarter), samples.slice(-quarter)]
  const failed = samples.at(-1)?.failed ?? 0
  const failures = failed === 0 ? [] : [`${failed} jobs did not end well`]
  const grown = (Object.entries(limits) as [keyof Sample, { factor: number; plus: number }][]).flatMap(
    ([name, { factor, plus }]) => {
      const [before, after] = [third, last].map((part) => median(part.map((sample) => sample[name])))
      if (before === undefined || after === undefined || !(after > before * factor + plus)) return []
      return [`${name}: ${before.toFixed(1)} in the third quarter, ${after.toFixed(1)} in the last`]
    },
  )
  return [...failures, ...grown]
}

const widestBar = 20

/** Returns the samples as a table, with a bar for the resident memory. */
export function curve(samples: readonly Sample[]): string {
  const head = ['minute', 'jobs', 'p50 ms', 'p99 ms', 'resident MiB', '', 'heap MiB', 'disk MiB', 'files']
  const table = new Table({ head, style: { head: [], border: [] } })
  const most = Math.max(...samples.map(({ residentMiB }) => residentMiB))
  for (const sample of samples)
    table.push([
      sample.minute.toFixed(1),
      sample.jobs,
      sample.p50Ms.toFixed(1),
      sample.p99Ms.toFixed(1),
      sample.residentMiB.toFixed(0),
      '█'.repeat(Math.round((sample.residentMiB / most) * widestBar)),
      sample.heapMiB.toFixed(0),
      sample.diskMiB.toFixed(0),
      sample.openFiles,
    ])
  return table.toString()
}
