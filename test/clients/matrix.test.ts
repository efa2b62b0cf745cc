import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checks } from './checks.js'
import { clients, type Client } from './clients.js'
import { page, sectionIn, withSection } from './docs-section.js'
import { excuses } from './excuses.js'
import { surprises, type Column } from './matrix.js'
import { queryCases } from './query-cases.js'
import { reportIn } from './reported.js'
import { markdownTable } from './tables.js'

const [client] = clients as readonly [Client]
const line = (values: object): string => JSON.stringify(values)
const started = line({ version: '1.2', runtime: 'X 3' })

function columnOf(...lines: readonly string[]): Column {
  return { client, report: reportIn([started, ...lines].join('\n'), ['items', 'top']), absence: '' }
}

describe('the matrix of clients', () => {
  it('has a failure for each row that a program left out', () => {
    const { report } = columnOf('noise', line({ check: 'items', outcome: 'ok' }), line({ check: 'no row' }))
    expect(report?.outcomes.get('items')).toEqual({ outcome: 'ok', reason: '' })
    expect(report?.outcomes.get('top')?.outcome).toBe('fails')
    expect(report?.outcomes.size).toBe(2)
  })

  const excuse = { client: client.name, check: 'top', contains: 'rows 3', reason: 'the client miscounts' }
  const items = line({ check: 'items', outcome: 'ok' })

  it('excuses only the failure that the excuse describes', () => {
    const failing = (reason: string): Column =>
      columnOf(items, line({ check: 'top', outcome: 'fails', reason }))
    expect(surprises([failing('found rows 3')], [excuse])).toEqual([])
    expect(surprises([failing('found rows 3')], [])).toHaveLength(1)
    expect(surprises([failing('timed out')], [excuse])).toHaveLength(1)
    expect(surprises([columnOf(items, line({ check: 'top', outcome: 'ok' }))], [excuse])).toHaveLength(1)
  })

  it('prints versions, and a note for each cell that is not ok', () => {
    const column = columnOf(items, line({ check: 'top', outcome: 'fails', reason: 'found rows 3' }))
    const table = markdownTable([column], [excuse], '2026-11-22')
    expect(table).toContain(`| check | ${client.title} 1.2 (X 3) |`)
    expect(table).toMatch(/^\| items: .* \| ok \|$/mu)
    expect(table).toMatch(/^\| top: .* \| fails \(1\) \|$/mu)
    expect(table).toContain('- (1) the client miscounts')
    expect(sectionIn(withSection(readFileSync(page, 'utf8'), table)).trim()).toBe(table)
  })

  it('has an excuse and a query only for clients and rows that exist', () => {
    const rows = new Set(checks.map(({ name }) => name))
    const columns = new Set(clients.map(({ name }) => name))
    expect(excuses.filter((one) => !rows.has(one.check) || !columns.has(one.client))).toEqual([])
    expect(queryCases.filter(({ check }) => !rows.has(check))).toEqual([])
  })

  it('is shown in the docs with all rows and the pinned versions', () => {
    const section = sectionIn(readFileSync(page, 'utf8'))
    expect(checks.filter(({ name, meaning }) => !section.includes(`\n| ${name}: ${meaning} |`))).toEqual([])
    const pinned = [
      ['JavaScript', 'package.json', /"@azure\/cosmos": "([\d.]+)"/u],
      ['JavaScript, newest', 'test/clients/javascript/newest/package.json', /"@azure\/cosmos": "([\d.]+)"/u],
      ['Python', 'test/clients/python/requirements.txt', /azure-cosmos==([\d.]+)/u],
      ['Python, aio', 'test/clients/python/requirements.txt', /azure-cosmos==([\d.]+)/u],
      ['Java V4', 'test/clients/java/pom.xml', /azure-cosmos<\/artifactId>\s*<version>([\d.]+)/u],
      ['Go', 'test/clients/go/go.mod', /azcosmos v([\d.]+)/u],
    ] as const
    const shown = pinned.map(([title, path, version]) => {
      return `| ${title} ${version.exec(readFileSync(path, 'utf8'))?.[1] ?? '?'} (`
    })
    expect(shown.filter((head) => !section.includes(head))).toEqual([])
  })
})
