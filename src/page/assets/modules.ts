import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A module of another package: its name in imports, the package, and the file in the package. */
interface SharedModule {
  readonly name: string
  readonly owner: string
  readonly file: string
}

/** The modules that the page imports from other packages, by their names in addresses. */
const modules: Readonly<Record<string, SharedModule>> = {
  'preact.js': { name: 'preact', owner: 'preact', file: 'dist/preact.mjs' },
  'preact-hooks.js': { name: 'preact/hooks', owner: 'preact', file: 'hooks/dist/hooks.mjs' },
  'htm.js': { name: 'htm', owner: 'htm', file: 'dist/htm.mjs' },
  'htm-preact.js': { name: 'htm/preact', owner: 'htm', file: 'preact/index.mjs' },
  'signals-core.js': {
    name: '@preact/signals-core',
    owner: '@preact/signals-core',
    file: 'dist/signals-core.mjs',
  },
  'signals.js': { name: '@preact/signals', owner: '@preact/signals', file: 'dist/signals.mjs' },
  'dagre.js': { name: '@dagrejs/dagre', owner: '@dagrejs/dagre', file: 'dist/dagre.esm.js' },
}

/** The path of the folder of these modules. */
export const modulesPath = '/modules/'

/** The import map of the page, as it stands in the HTML. */
export const importMap = JSON.stringify({
  imports: Object.fromEntries(
    Object.entries(modules).map(([file, { name }]) => [name, `${modulesPath}${file}`]),
  ),
})

/** The addresses of these modules. */
export const sharedModulePaths: readonly string[] = Object.keys(modules).map(
  (file) => `${modulesPath}${file}`,
)

/** The hash by which the content security policy permits the import map. */
export const importMapHash = `sha256-${createHash('sha256').update(importMap).digest('base64')}`

/** Returns the text of a module, or null if there is no module with this name. */
export function moduleText(file: string): string | null {
  const known = Object.hasOwn(modules, file) ? modules[file] : undefined
  if (known === undefined) return null
  const text = readFileSync(join(folderOf(known.owner), known.file), 'utf8')
  // The maps of sources are not served.
  return text.replaceAll(/\/\/# sourceMappingURL=.*$/gmu, '')
}

/** Returns the folder of a package. A package that belongs to another is found from that one. */
function folderOf(owner: string): string {
  const here = createRequire(import.meta.url)
  const from = owner === '@preact/signals-core' ? createRequire(here.resolve('@preact/signals')) : here
  let folder = dirname(from.resolve(owner))
  while (!isFolderOf(folder, owner)) folder = dirname(folder)
  return folder
}

function isFolderOf(folder: string, owner: string): boolean {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string }
    return manifest.name === owner
  } catch {
    if (dirname(folder) === folder) throw new Error(`package ${owner} is not installed: run "npm install"`)
    return false
  }
}
