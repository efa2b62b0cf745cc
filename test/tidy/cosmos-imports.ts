import { posix } from 'node:path'
import { importsOf } from './imports.js'
import { offence, type Source } from './source.js'

/** The emulator's doors that hand out a client of the real SDK. */
const emulatorDoors = new Set([
  'in-process-client.ts',
  'in-process-cosmos.ts',
  'emulator-server.ts',
  'index.ts',
])

/** Every import of the SDK outside the adapters: the rest of the code knows ports, and runs without it. */
export function sdkImports(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => !mayImportSdk(path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ specifier }) => /^@azure\/cosmos(\/|$)/.test(specifier))
        .map(({ node }) =>
          offence(source, node, '@azure/cosmos belongs in cosmos-*.ts and src/host; depend on the port'),
        ),
    )
}

function mayImportSdk(path: string): boolean {
  const name = posix.basename(path)
  if (name.startsWith('cosmos-') || /^(src\/host|samples|test)\//.test(path)) return true
  return posix.dirname(path) === 'src/emulator' && emulatorDoors.has(name)
}
