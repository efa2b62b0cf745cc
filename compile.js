/**
 * Compiles the program and the samples, without a check of types. If no source is newer than its output, there
 * is nothing to compile.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { transformSync } from 'rolldown/utils'

/** Changes of these files change the output of the program. */
const makers = ['bundle.js', 'package-lock.json', 'tsconfig.json']
/** Every bundle has this file. The compiler of types does not write it. */
const licenses = 'dist/src/third-party-licenses.txt'

const sources = ['lease-store', 'src'].flatMap(filesIn)
if ([...sources, ...makers].some((path) => !isNewer(licenses, path))) {
  const { bundle } = await import('./bundle.js')
  await bundle({ root: process.cwd(), outDir: join(process.cwd(), 'dist') })
}

for (const source of filesIn('samples')) {
  const output = join('dist', source.replace(/\.ts$/, '.js'))
  if (isNewer(output, source)) continue
  const { code, errors } = transformSync(source, readFileSync(source, 'utf8'), {
    target: 'es2023',
    typescript: { onlyRemoveTypeImports: true },
  })
  if (errors.length > 0) {
    process.stderr.write(`${errors.map(({ message }) => `${source}: ${message}`).join('\n')}\n`)
    process.exit(1)
  }
  mkdirSync(dirname(output), { recursive: true })
  writeFileSync(output, code)
}

/** @param {string} folder */
function filesIn(folder) {
  const files = readdirSync(folder, { recursive: true }).map((file) => join(folder, String(file)))
  return files.filter((file) => file.endsWith('.ts'))
}

/**
 * @param {string} output
 * @param {string} source
 */
function isNewer(output, source) {
  const written = statSync(output, { throwIfNoEntry: false })
  return written !== undefined && written.mtimeMs >= statSync(source).mtimeMs
}
