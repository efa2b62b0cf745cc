import type { Telemetry, TelemetryEvent } from '../telemetry/index.js'

/** The figures that a scrape adds to the counters. */
export interface ProcessFigures {
  readonly residentBytes: number
  readonly cpuSeconds: number
  readonly uptimeSeconds: number
  readonly isReady: boolean
}

interface Series {
  readonly kind: 'counter' | 'gauge'
  readonly help: string
  /** The name of the only label of its values. Default: the series has one value, without a label. */
  readonly label?: string
}

const descriptions: Readonly<Record<string, Series>> = {
  stepward_events_total: { kind: 'counter', help: 'Events by type.', label: 'type' },
  stepward_request_charge_total: { kind: 'counter', help: 'Request units by operation.', label: 'operation' },
  stepward_user_request_charge_total: {
    kind: 'counter',
    help: 'Request units by role, of the client, and of the feed that the roles share.',
    label: 'user',
  },
  stepward_changes_delivered_total: {
    kind: 'counter',
    help: 'Changes handed to delegates, by processor.',
    label: 'processor',
  },
  stepward_leases_owned: {
    kind: 'gauge',
    help: 'Leases that this instance holds, by processor.',
    label: 'processor',
  },
  stepward_steps_settled_total: { kind: 'counter', help: 'Attempts by outcome.', label: 'outcome' },
  stepward_jobs_finished_total: { kind: 'counter', help: 'Jobs by final state.', label: 'state' },
  stepward_attention_total: { kind: 'counter', help: 'Jobs flagged for a person, by kind.', label: 'kind' },
  stepward_store_troubled: {
    kind: 'gauge',
    help: '1 while the store does not answer, or while it throttles or refuses requests.',
  },
  stepward_ready: { kind: 'gauge', help: '1 while work is being done.' },
  process_resident_memory_bytes: { kind: 'gauge', help: 'Memory of the process.' },
  process_cpu_seconds_total: { kind: 'counter', help: 'Processor time of the process.' },
  process_uptime_seconds: { kind: 'gauge', help: 'Time since the process started.' },
}

/** Counts events, and writes the counters in the text format of Prometheus. */
export class Metrics implements Telemetry {
  private readonly series = new Map<string, Map<string, number>>()
  private readonly requests = new Map<string, number>()
  private readonly requestsByUser = new Map<string, number>()

  /** @param startedAtMs the time since which events are counted, in milliseconds since the epoch */
  constructor(private readonly startedAtMs = 0) {}

  emit(event: TelemetryEvent): void {
    this.add('stepward_events_total', event.type)
    if (event.type === 'store.charged') {
      this.add('stepward_request_charge_total', event.operation, event.charge)
      this.requests.set(event.operation, (this.requests.get(event.operation) ?? 0) + 1)
      const { user = 'others' } = event
      this.add('stepward_user_request_charge_total', user, event.charge)
      this.requestsByUser.set(user, (this.requestsByUser.get(user) ?? 0) + 1)
    }
    if (event.type === 'page.delivered')
      this.add('stepward_changes_delivered_total', event.processorName, event.count)
    if (event.type === 'lease.acquired') this.add('stepward_leases_owned', event.processorName)
    if (event.type === 'lease.released') this.add('stepward_leases_owned', event.processorName, -1)
    if (event.type === 'step.settled') this.add('stepward_steps_settled_total', event.outcome)
    if (event.type === 'job.finished') this.add('stepward_jobs_finished_total', event.state)
    if (event.type === 'attention.raised') this.add('stepward_attention_total', event.kind)
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

  /** The requests and request units of each operation and of each user, the most expensive first. */
  get charges() {
    const rows = this.sums('stepward_request_charge_total', this.requests)
    const users = this.sums('stepward_user_request_charge_total', this.requestsByUser)
    return {
      since: new Date(this.startedAtMs).toISOString(),
      rows: rows.map(([operation, requests, charge]) => ({ operation, requests, charge })),
      users: users.map(([user, requests, charge]) => ({ user, requests, charge })),
    }
  }

  /** Returns the labels of a series with their numbers of requests and their sums, the largest sum first. */
  private sums(series: string, requests: ReadonlyMap<string, number>): [string, number, number][] {
    return [...(this.series.get(series) ?? [])]
      .map(([label, sum]): [string, number, number] => [label, requests.get(label) ?? 0, sum])
      .sort(([, , one], [, , other]) => other - one)
  }

  /** Returns all series, one line for each value. */
  text(figures: ProcessFigures): string {
    this.set('process_resident_memory_bytes', figures.residentBytes)
    this.set('process_cpu_seconds_total', figures.cpuSeconds)
    this.set('process_uptime_seconds', figures.uptimeSeconds)
    this.set('stepward_ready', figures.isReady ? 1 : 0)
    const lines = [...this.series].flatMap(([name, values]) => {
      const { kind, help, label = null } = descriptions[name] ?? { kind: 'gauge', help: name }
      return [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${kind}`,
        ...[...values].map(([of, value]) => `${name}${label === null ? '' : labelText(label, of)} ${value}`),
      ]
    })
    return `${lines.join('\n')}\n`
  }

  /** Adds to the value with this label. This runs for every event, so it writes no text. */
  private add(name: string, label: string, by = 1): void {
    const values = this.valuesOf(name)
    values.set(label, (values.get(label) ?? 0) + by)
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

function labelText(name: string, value: string): string {
  return `{${name}="${escaped(value)}"}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
