import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from './doc-page.js'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}
/** The entries of the package, each with its declarations, as built. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [{ name: path.slice(2) || 'stepward', types: join(root, target.types) }],
)

/** Types that public signatures name and no entry exports, with the reason. */
const notExported: Readonly<Record<string, string>> = {
  JobDocument: 'gives an alert its state',
  Level: 'the levels stand in the option',
  HostEvent: 'a part of the events that docs/telemetry.md lists',
  JobEvent: 'a part of the events',
  ProcessorEvent: 'a part of the events',
}

const folder = mkdtempSync(join(tmpdir(), 'stepward-api-'))
afterAll(() => rmSync(folder, { recursive: true }))

const configs = entries.map(({ name, types }) => ({ name, config: configOf(name, types) }))
const compilerState = compile(configs.map(({ config }) => config))
const reports = new Map(configs.map(({ name, config }) => [name, reportOf(name, config)]))

function configOf(name: string, types: string): ExtractorConfig {
  const silent = { default: { logLevel: ExtractorLogLevel.None } }
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: types,
      compiler: { tsconfigFilePath: join(root, 'tsconfig.build.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          ...silent,
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.Warning },
        },
        tsdocMessageReporting: silent,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  })
}

/** Compiles all entries at once, because one program for each would take several times as long. */
function compile(all: readonly ExtractorConfig[]): CompilerState {
  const [first] = all
  if (first === undefined) throw new Error('package.json exports nothing')
  return CompilerState.create(first, {
    additionalEntryPoints: all.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  })
}

function reportOf(name: string, config: ExtractorConfig) {
  const forgotten: string[] = []
  Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => {
      const symbol = /^The symbol "(\w+)"/u.exec(message.text)?.[1]
      if (message.logLevel === ExtractorLogLevel.Error) throw new Error(message.text)
      if (message.messageId === 'ae-forgotten-export' && symbol !== undefined) forgotten.push(symbol)
      message.handled = true
    },
  })
  return { text: readFileSync(join(folder, `${name}.api.md`), 'utf8'), forgotten }
}

describe('the public API', () => {
  it.each([...reports.keys()])('of %s matches its report, which `npm run api` updates', async (name) => {
    const text = reports.get(name)?.text ?? ''
    await expect(text).toMatchFileSnapshot(join(root, `docs/api/${name}.api.md`))
  })

  it('exports every type that a signature names, except those listed with a reason', () => {
    const all = [...reports.values()]
    const exported = new Set(
      all
        .flatMap(({ text }) => [...text.matchAll(/^export (?:type|interface|class|function|const) (\w+)/gmu)])
        .map(([, name]) => name),
    )
    const missing = new Set(all.flatMap(({ forgotten }) => forgotten).filter((name) => !exported.has(name)))
    expect([...missing].toSorted()).toEqual(Object.keys(notExported).toSorted())
  })
})
