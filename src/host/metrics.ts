import type { Telemetry, TelemetryEvent } from '../telemetry/index.js'

type Labels = Readonly<Record<string, string>>

/** The figures that a scrape adds to the counters. */
export interface ProcessFigures {
  readonly residentBytes: number
  readonly cpuSeconds: number
  readonly uptimeSeconds: number
  readonly isReady: boolean
}

const descriptions: Readonly<Record<string, readonly [kind: 'counter' | 'gauge', help: string]>> = {
  stepward_events_total: ['counter', 'Events by type.'],
  stepward_request_charge_total: ['counter', 'Request units by operation.'],
  stepward_changes_delivered_total: ['counter', 'Changes handed to delegates, by processor.'],
  stepward_leases_owned: ['gauge', 'Leases that this instance holds, by processor.'],
  stepward_steps_settled_total: ['counter', 'Attempts by outcome.'],
  stepward_jobs_finished_total: ['counter', 'Jobs by final state.'],
  stepward_attention_total: ['counter', 'Jobs flagged for a person, by kind.'],
  stepward_store_troubled: [
    'gauge',
    '1 while the store does not answer, or while it throttles or refuses requests.',
  ],
  stepward_ready: ['gauge', '1 while work is being done.'],
  process_resident_memory_bytes: ['gauge', 'Memory of the process.'],
  process_cpu_seconds_total: ['counter', 'Processor time of the process.'],
  process_uptime_seconds: ['gauge', 'Time since the process started.'],
}

/** Counts events, and writes the counters in the text format of Prometheus. */
export class Metrics implements Telemetry {
  private readonly series = new Map<string, Map<string, number>>()

  emit(event: TelemetryEvent): void {
    this.add('stepward_events_total', { type: event.type })
    if (event.type === 'store.charged')
      this.add('stepward_request_charge_total', { operation: event.operation }, event.charge)
    if (event.type === 'page.delivered')
      this.add('stepward_changes_delivered_total', { processor: event.processorName }, event.count)
    if (event.type === 'lease.acquired') this.add('stepward_leases_owned', { processor: event.processorName })
    if (event.type === 'lease.released')
      this.add('stepward_leases_owned', { processor: event.processorName }, -1)
    if (event.type === 'step.settled') this.add('stepward_steps_settled_total', { outcome: event.outcome })
    if (event.type === 'job.finished') this.add('stepward_jobs_finished_total', { state: event.state })
    if (event.type === 'attention.raised') this.add('stepward_attention_total', { kind: event.kind })
    if (event.type === 'store.troubled') this.set('stepward_store_troubled', 1)
    if (event.type === 'store.recovered') this.set('stepward_store_troubled', 0)
  }

  /** The number of leases that all processors hold at this moment. */
  get leasesOwned(): number {
    return [...(this.series.get('stepward_leases_owned')?.values() ?? [])].reduce(
      (sum, count) => sum + count,
      0,
    )
  }

  /** Returns all series, one line for each value. */
  text(figures: ProcessFigures): string {
    this.set('process_resident_memory_bytes', figures.residentBytes)
    this.set('process_cpu_seconds_total', figures.cpuSeconds)
    this.set('process_uptime_seconds', figures.uptimeSeconds)
    this.set('stepward_ready', figures.isReady ? 1 : 0)
    const lines = [...this.series].flatMap(([name, values]) => {
      const [kind, help] = descriptions[name] ?? ['gauge', name]
      return [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${kind}`,
        ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
      ]
    })
    return `${lines.join('\n')}\n`
  }

  private add(name: string, labels: Labels, by = 1): void {
    const values = this.valuesOf(name)
    const key = labelText(labels)
    values.set(key, (values.get(key) ?? 0) + by)
  }

  private set(name: string, value: number): void {
    this.valuesOf(name).set('', value)
  }

  private valuesOf(name: string): Map<string, number> {
    const values = this.series.get(name) ?? new Map<string, number>()
    this.series.set(name, values)
    return values
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
