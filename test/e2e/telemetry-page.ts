import { eventTable, rowOf, type TelemetryEventType } from '../../src/telemetry/events.js'
import { events, processDuration, type Metric } from '../../src/telemetry/metric.js'

/** Returns the page with its tables of events and instruments as the code has them. */
export function telemetryPage(page: string, types: readonly ReadonlyMap<string, string>[]): string {
  const fields = new Map(
    types.map((type) => [
      type.get('type')?.replaceAll('"', ''),
      [...type.keys()].filter((name) => name !== 'type').join(', '),
    ]),
  )
  const rows = names.map((name) => {
    const { level, meaning } = rowOf(name)
    const shown = typeof level === 'string' ? level : 'varies'
    return [`\`${name}\``, shown, fields.get(name) ?? '', meaning]
  })
  const withEvents = withTable(page, ['event', 'level', 'fields', 'when'], rows)
  return withTable(withEvents, ['instrument', 'kind', 'unit', 'attributes', 'events'], instruments())
}

const names = Object.keys(eventTable) as TelemetryEventType[]

function instruments(): string[][] {
  const used = names.flatMap((name) => rowOf(name).metrics.map((metric) => ({ name: `\`${name}\``, metric })))
  const all = [...used, { name: 'every delivery', metric: processDuration }]
  return [...new Set(all.map(({ metric }) => metric.name))].map((name) => {
    const reports = all.filter(({ metric }) => metric.name === name)
    const metrics: readonly Pick<Metric<never>, 'kind' | 'unit' | 'attributes'>[] = reports.map(
      ({ metric }) => metric,
    )
    const attributes = new Set(metrics.flatMap((metric) => Object.keys(metric.attributes)))
    const sources = name === events.name ? ['every other event'] : reports.map((report) => report.name)
    const [{ kind, unit } = processDuration] = metrics
    const shown = [...attributes].map((attribute) => `\`${attribute}\``)
    return [`\`${name}\``, kind, unit, shown.join(', '), sources.join(', ')]
  })
}

/** Returns the page with these rows in the table that has this head. */
function withTable(page: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = page.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${head[0]} |`))
  if (start < 0) throw new Error(`the page has no table of ${head[0]}`)
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [...lines.slice(0, start), ...table, ...lines.slice(start + length)].join('\n')
}
