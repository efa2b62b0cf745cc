import ts from 'typescript'
import { importsOf, resolveImport, type Import } from './imports.js'
import { offence, type Source } from './source.js'

/** How much one room may take from another: everything, or only what disappears when compiled. */
type Permission = 'everything' | 'types'

/** Who may import whom. An edge that is not here is forbidden; a room may always import itself. */
export const importTable: Readonly<Record<string, Readonly<Record<string, Permission>>>> = {
  'lease-store': {},
  platform: {},
  telemetry: { platform: 'everything' },
  'change-feed-processor': { 'lease-store': 'everything', platform: 'everything', telemetry: 'everything' },
  sas: {
    'lease-store': 'types',
    platform: 'everything',
    telemetry: 'everything',
    'change-feed-processor': 'everything',
  },
  'emulator/engine': {},
  'emulator/query': {},
  emulator: {
    'emulator/engine': 'everything',
    'emulator/query': 'everything',
    'lease-store': 'types',
    platform: 'everything',
    'change-feed-processor': 'types',
    sas: 'types',
  },
  host: {
    'lease-store': 'everything',
    platform: 'everything',
    telemetry: 'everything',
    'change-feed-processor': 'everything',
    sas: 'everything',
  },
  dashboard: {
    'lease-store': 'types',
    telemetry: 'everything',
    'change-feed-processor': 'everything',
    sas: 'everything',
  },
  cli: {
    'lease-store': 'types',
    platform: 'everything',
    telemetry: 'everything',
    sas: 'everything',
    emulator: 'everything',
    host: 'everything',
    dashboard: 'everything',
  },
  index: {
    'lease-store': 'everything',
    platform: 'everything',
    telemetry: 'everything',
    'change-feed-processor': 'everything',
    sas: 'everything',
    host: 'everything',
    dashboard: 'everything',
  },
  // What users test their workflows with: everything of the product, on the embedded Cosmos.
  simulation: {
    'lease-store': 'everything',
    platform: 'everything',
    telemetry: 'everything',
    'change-feed-processor': 'everything',
    sas: 'everything',
    emulator: 'everything',
    'emulator/engine': 'everything',
  },
  testing: {
    'lease-store': 'everything',
    platform: 'everything',
    telemetry: 'everything',
    'change-feed-processor': 'everything',
    sas: 'everything',
    emulator: 'everything',
    simulation: 'everything',
  },
  // Samples read as a user's own code: the package's public names, and nothing by path.
  samples: { package: 'everything' },
}

/** Edges between single files that the rooms' table cannot express. */
const forbiddenFiles: readonly { readonly from: string; readonly to: RegExp; readonly why: string }[] = [
  {
    from: 'src/sas/supervisor.ts',
    to: /^src\/sas\/(agents|workflow)\./,
    why: 'the supervisor loads no user code: it knows neither agents nor workflows (R99, R100)',
  },
]

/** Edges that break the table for a stated reason. */
const toleratedEdges: readonly { readonly from: RegExp; readonly to: RegExp; readonly why: string }[] = [
  {
    from: /^src\/sas\/cosmos-/,
    to: /^lease-store$/,
    why: "one place sorts the SDK's errors, and the room that imports nothing is where both adapters reach it",
  },
  {
    from: /^src\/emulator\/ports/,
    to: /^(lease-store|change-feed-processor|sas)$/,
    why: 'an implementation of a port speaks its documents and throws its errors',
  },
]

const reExportOnly = new Set(['src/index.ts', 'src/testing.ts'])

/** Every import of product code that the table does not allow. */
export function forbiddenImports(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => [
    ...importsOf(source).flatMap((entry) => {
      const reason = refusal(source.path, entry)
      return reason === null ? [] : [offence(source, entry.node, `imports ${entry.specifier}: ${reason}`)]
    }),
    ...ownStatements(source),
  ])
}

function refusal(from: string, entry: Import): string | null {
  const path = resolveImport(from, entry.specifier)
  const file = forbiddenFiles.find((edge) => edge.from === from && path !== null && edge.to.test(path))
  if (file !== undefined) return file.why
  const here = roomOf(from)
  const there = path === null ? packageRoom(entry.specifier) : roomOf(path)
  if (there === null || there === here) return null
  if (toleratedEdges.some((edge) => edge.from.test(from) && edge.to.test(there))) return null
  const row = importTable[here]
  if (row === undefined) return `room ${here} is not in the table of test/tidy/import-direction.ts`
  const permission = row[there]
  if (permission === undefined) return `${here} may not import ${there}`
  if (permission === 'types' && !entry.isTypeOnly) return `${here} may import only types of ${there}`
  return null
}

/** The room a path lies in: a first folder, a folder of `src`, an inner room of the emulator, or a file of `src`. */
function roomOf(path: string): string {
  const inner = /^src\/(emulator\/(?:engine|query))\//.exec(path)?.[1]
  const room = inner ?? /^src\/([^/.]+)/.exec(path)?.[1]
  return room ?? path.split('/')[0] ?? path
}

/** Our own package by its name is an edge like any other; other packages are none of this rule's business. */
function packageRoom(specifier: string): string | null {
  return specifier === 'stepward' || specifier.startsWith('stepward/') ? 'package' : null
}

/** Statements of a re-exporting file that are anything but a re-export. */
function ownStatements(source: Source): string[] {
  if (!reExportOnly.has(source.path)) return []
  return source.syntax.statements
    .filter((statement) => !ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined)
    .map((statement) => offence(source, statement, 'only re-exports belong here; give the code a room'))
}
