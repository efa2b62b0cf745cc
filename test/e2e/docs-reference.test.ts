import type { Command } from 'commander'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exitCodeOfSignal, exitCodes } from '../../src/cli/output/cli-error.js'
import { programOf } from '../../src/cli/program.js'
import { terminalOf } from '../../src/cli/output/terminal.js'
import { readConfigFile } from '../../src/connection/config-file.js'
import { cliPage, commandsIn, visible } from './cli-page.js'
import { blocksOf, commandIn, commandsOf, pagePaths, pageText, root, tableOf, textsIn } from './doc-page.js'

const program = programOf({ version: '0', terminal: terminalOf(process), ending: () => Promise.resolve() })
const commands = new Map<string, Command>(commandsIn(program))

/** Matches the names of environment variables anywhere in a text. */
const variable = /\b(?:(?:COSMOS|STEPWARD|AZURE|WEBSITE|WEBSITES|IDENTITY|MSI)_[A-Z_]+|PORT|NO_COLOR)\b/gu

function namesIn(text: string): string[] {
  return [...new Set(text.match(variable) ?? [])].toSorted()
}

describe('docs/cli.md', () => {
  it('matches the commands of the program; "vitest -u" on this file rewrites it', async () => {
    await expect(cliPage(program)).toMatchFileSnapshot(join(root, 'docs/cli.md'))
  })
})

describe('exit codes', () => {
  it('are all listed in docs/cli.md', () => {
    const told = tableOf('docs/cli.md', ['code', 'meaning']).map(([code]) => Number(code))
    const ofSignals = [exitCodeOfSignal('SIGINT'), exitCodeOfSignal('SIGTERM')]
    expect(told).toEqual([...Object.values(exitCodes), ...ofSignals])
  })
})

describe('docs/configuration.md', () => {
  it('has a valid example that sets every property of the table', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'stepward-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const [example = ''] = textsIn('docs/configuration.md', 'json')
    await writeFile(join(directory, 'stepward.config.json'), example)
    const read = await readConfigFile(undefined, directory)
    const { timing = {}, ...others } = read
    const said = [...Object.keys(others), ...Object.keys(timing).map((name) => `timing.${name}`)]
    const rows = tableOf('docs/configuration.md', ['name']).map(([name = '']) => name)
    expect(said.toSorted()).toEqual(rows.toSorted())
  })

  it('names exactly the environment variables that the sources read', () => {
    const folders = ['src/connection', 'src/fleet', 'src/host', 'src/operations', 'src/page', 'src/cli']
    const sources = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(join(root, folder, name), 'utf8')),
    )
    const rows = tableOf('docs/configuration.md', ['variable']).map(([names = '']) => names)
    // The library that colours output reads this one.
    expect(namesIn(rows.join(' '))).toEqual(namesIn([...sources, 'NO_COLOR'].join(' ')))
  })
})

describe('docs/errors.md', () => {
  it('names every error with its code, its class, and whether it is retriable', () => {
    const pattern =
      /class (\w+) extends Error \{\n {2}override readonly name = '\w+'\n {2}readonly code = '(\w+)'\n {2}readonly retriable = (\w+)/gu
    const found = ['src', 'lease-store'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => [...readFileSync(join(root, folder, name), 'utf8').matchAll(pattern)])
        .map(([, name, code, retriable]) => [code, name, retriable === 'true' ? 'yes' : 'no'].join(' ')),
    )
    const rows = tableOf('docs/errors.md', ['code', 'class', 'retriable']).map((row) =>
      row.slice(0, 3).join(' '),
    )
    expect(rows.toSorted()).toEqual(found.toSorted())
  })

  it('names every error that the package exports', async () => {
    const faces: readonly object[] = [
      await import('stepward'),
      await import('stepward/change-feed-processor'),
      await import('stepward/lease-store'),
    ]
    const exported = faces
      .flatMap((face): [string, unknown][] => Object.entries(face))
      .filter(([, value]) => typeof value === 'function' && Object.getPrototypeOf(value) === Error)
      .map(([name]) => name)
    const rows = tableOf('docs/errors.md', ['code', 'class']).map(([, name = '']) => name)
    expect(exported.filter((name) => !rows.includes(name))).toEqual([])
  })
})

describe('docs/telemetry.md', () => {
  it('names every metric', () => {
    const source = readFileSync(join(root, 'src/host/metrics.ts'), 'utf8')
    const metrics = [...source.matchAll(/^ {2}(\w+): \{\s*kind: '(?:counter|gauge)'/gmu)].map(
      ([, name]) => name,
    )
    expect(tableOf('docs/telemetry.md', ['metric']).map(([name]) => name)).toEqual(metrics)
  })
})

describe('the documentation', () => {
  it.each(pagePaths)('in %s has no dead link', (page) => {
    const links = [...pageText(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/gu)]
    const dead = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !anchorsOf(target).includes(anchor)
    })
    expect(dead.map(([link]) => link)).toEqual([])
  })

  it('has a link to every page in docs/README.md', () => {
    const index = pageText('docs/README.md')
    const lost = pagePaths.filter(
      (page) =>
        page.startsWith('docs/') && page !== 'docs/README.md' && !index.includes(`(${page.slice(5)})`),
    )
    expect(lost).toEqual([])
  })

  it.each(pagePaths)('in %s has only code blocks that are run, compiled, parsed or output', (page) => {
    const kinds = new Set(blocksOf(page).map(({ language, note }) => `${language} ${note}`.trim()))
    const known = /^(sh( azure| checkout)?|ts|text|sql|(js|json) [\w./-]+|python|yaml)$/u
    expect([...kinds].filter((kind) => !known.test(kind))).toEqual([])
    const fences = pageText(page).match(/^```/gmu)?.length ?? 0
    expect(fences).toBe(2 * blocksOf(page).length)
  })

  const stepward = pagePaths.flatMap((page) =>
    textsIn(page, 'sh')
      .flatMap(commandsOf)
      .map((line) => commandIn(line).command)
      .flatMap((command) => /\bnpx stepward (.*)$/u.exec(command)?.[1] ?? [])
      .map((words) => [page, words] as const),
  )

  it.each(stepward)('in %s gives stepward %s only options that it has', (_page, words) => {
    const [path, ...parts] = words.split(' ')
    const nested = `${path} ${parts[0]}`
    const command = commands.get(nested) ?? commands.get(path ?? '')
    expect(command, path).toBeDefined()
    if (command === undefined) return
    const known = visible(command).map(({ long }) => long)
    const used = words.match(/(?<= )--[a-z-]+/gu) ?? []
    expect(used.filter((option) => !known.includes(option))).toEqual([])
  })

  it('names only existing files of this repository in commands for Azure', () => {
    const azure = pagePaths.flatMap((page) => textsIn(page, 'sh', 'azure')).join('\n')
    const files = azure.match(/\b(?:infra|dist|docs)\/[\w./-]+\.\w+/gu) ?? []
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((path) => !path.startsWith('dist/') && !existsSync(join(root, path)))).toEqual([])
  })
})

describe('docs/pattern.md', () => {
  it.each([
    'Retry',
    'Circuit Breaker',
    'Compensating Transaction',
    'Saga',
    'Process Manager',
    'Leader Election',
  ])('links %s to a source file or a decision record (R178)', (pattern) => {
    const row = tableOf('docs/pattern.md', ['pattern', 'here']).find(([name = '']) => name.includes(pattern))
    const [, source = 'none'] = /((?:src|samples|lease-store)\/[\w/.-]+\.ts)/u.exec(row?.[1] ?? '') ?? []
    expect(row?.[1]?.includes('](adr/') === true || existsSync(join(root, source)), row?.[1]).toBe(true)
  })
})

describe('a name in commands for Azure,', () => {
  const infra = (path: string): string => readFileSync(join(root, 'infra', path), 'utf8')
  const bases = ['small', 'production'].map(
    (size) => /^param name = '(.+)'$/mu.exec(infra(`parameters/${size}.bicepparam`))?.[1] ?? '',
  )
  // Only the deployment knows the names of the account and the apps; the commands create the restored copy.
  const made = bases.flatMap((base) => [base, `${base}-restored`])
  const text = pagePaths.flatMap((page) => textsIn(page, 'sh', 'azure')).join('\n')
  const named = text.matchAll(
    /(?:--(?:name|account-name|app-service|target-database-account-name|resource-group) |https:\/\/)([a-z-]+)/gu,
  )

  it.each([...new Set([...named].map(([, name = '']) => name))])(
    '%s, comes from the parameters of the templates',
    (name) => {
      expect(made).toContain(name)
    },
  )
})

describe('CONTRIBUTING.md', () => {
  const text = pageText('CONTRIBUTING.md')

  it('names every room, and each room begins with a page', () => {
    const rooms = [...text.matchAll(/^\*\*`((?:src\/|lease-store)[\w/-]*)\/`\*\*/gmu)].map(
      ([, room = '']) => room,
    )
    const sources = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    expect(rooms.toSorted()).toEqual(['lease-store', ...sources.map(({ name }) => `src/${name}`)].toSorted())
    const firstFiles = new Map([['src/cli', 'program.ts']])
    for (const room of rooms) {
      expect(pageText(`${room}/${firstFiles.get(room) ?? 'index.ts'}`)).toMatch(/^\/\*\*\n \* # \w+/u)
    }
  })

  it('names, together with the README, every script of package.json', () => {
    const { scripts } = JSON.parse(pageText('package.json')) as { readonly scripts: Record<string, string> }
    const told = text + pageText('README.md')
    const untold = Object.keys(scripts).filter((name) => !new RegExp(`\\b${name}\\b(?!:)`, 'u').test(told))
    expect(untold).toEqual([])
  })
})

/** The anchors of a page's headings. */
function anchorsOf(path: string): string[] {
  if (!path.endsWith('.md')) return []
  return [...pageText(path).matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
}
