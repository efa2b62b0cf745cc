import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** The entry points in `package.json`, and the command line. */
const entries = [
  'lease-store/index',
  'src/index',
  'src/change-feed-processor/index',
  'src/cli/main',
  'src/emulator/index',
  'src/testing/index',
]

/**
 * Libraries that most processes load at their start. The others stay in `node_modules`: processes load them
 * late, or users share their objects with this package (`@azure/cosmos`, `@opentelemetry/api`).
 */
const bundled =
  /^(cli-table3|cockatiel|commander|croner|fastest-levenshtein|log-update|picocolors|pino|tinyqueue|zod)$/

/** The only module that imports the copy of the SDK that becomes part of the files. */
const ownSdk = 'cosmos-own-sdk.ts'

/**
 * Writes the program into few files, because a process loads them in a third of the processor time that 1,000
 * files need (ADR 0074). Each entry point has the path of its source. The other files are in `src/chunks`.
 *
 * @param {{ root: string, outDir: string, plugins?: import('rolldown').Plugin[] }} options
 */
export async function bundle({ root, outDir, plugins = [] }) {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, join(root, `${entry}.ts`)])),
    platform: 'node',
    external: isExternal,
    plugins,
  })
  const { output } = await build.write({
    dir: outDir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'src/chunks/[name].js',
    // Errors show the names of their classes.
    keepNames: true,
  })
  await build.close()
  // npx makes the command executable once for each folder, and a new build is a new file.
  chmodSync(join(outDir, 'src/cli/main.js'), 0o755)
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  writeFileSync(join(outDir, 'src', 'third-party-licenses.txt'), licensesOf(modules))
  removeOthers(outDir, new Set(output.map(({ fileName }) => fileName)))
}

/**
 * @param {string} id
 * @param {string | undefined} importer
 */
function isExternal(id, importer = '') {
  if (id.startsWith('.') || id.startsWith('/')) return false
  if (importer.includes('node_modules')) return id.startsWith('node:') || id === '@opentelemetry/api'
  return id === '@azure/cosmos' ? !importer.endsWith(ownSdk) : !bundled.test(id)
}

/**
 * Returns the license of each library in the files. Most licenses demand that it is part of each copy.
 *
 * @param {readonly string[]} modules
 */
function licensesOf(modules) {
  const folders = new Set(
    modules.flatMap(
      (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replaceAll('\\', '/')) ?? [],
    ),
  )
  const texts = [...folders].sort().map((folder) => {
    const about = readFileSync(join(folder, 'package.json'), 'utf8')
    const [name, version, license] = ['name', 'version', 'license'].map(
      (field) => new RegExp(`"${field}": *"([^"]*)"`).exec(about)?.[1] ?? '',
    )
    const file = readdirSync(folder).find((found) => /^licen[cs]e/i.test(found))
    const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
    return `${name} ${version}\n\n${text}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * Removes the output of modules that are no longer files of their own.
 *
 * @param {string} outDir
 * @param {ReadonlySet<string>} written
 */
function removeOthers(outDir, written) {
  for (const room of ['src', 'lease-store']) {
    for (const file of readdirSync(join(outDir, room), { recursive: true })) {
      const path = join(outDir, room, String(file))
      if (
        path.endsWith('.js') &&
        !written.has(relative(outDir, path).replaceAll('\\', '/')) &&
        existsSync(path)
      )
        rmSync(path)
    }
  }
}
