/**
 * `npm run mutants`: takes one guard after the other away in a copy of this checkout, and sees that the tests fail.
 * `npm run mutants -- --only I10`: only guards that name this. Ends with 1 when tests pass without a guard.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mutants, type Mutant } from './mutants.js'

const needed = [
  'src',
  'lease-store',
  'samples',
  'test',
  'docs',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const copy = mkdtempSync(join(tmpdir(), 'stepward-mutants-'))

/** Whether these tests pass in the copy; null when they do not get as far as to run. */
function passes(tests: readonly string[]): boolean | null {
  const { status, stdout } = spawnSync('npx', ['vitest', 'run', '--bail', '1', ...tests], {
    cwd: copy,
    encoding: 'utf8',
  })
  if (status === 0) return true
  return /Tests .*\d+ failed/.test(stdout) ? false : null
}

/** What became of a guard: what the tests said without it. */
function verdictOn({ path, code, broken, tests }: Mutant): 'caught' | 'SURVIVED' | 'BROKEN TEST RUN' {
  const file = join(copy, path)
  const text = readFileSync(file, 'utf8')
  if (text.split(code).length !== 2) throw new RangeError(`${path} does not have exactly once: ${code}`)
  writeFileSync(
    file,
    text.replace(code, () => broken),
  )
  const passed = passes(tests)
  writeFileSync(file, text)
  if (passed === null) return 'BROKEN TEST RUN'
  return passed ? 'SURVIVED' : 'caught'
}

try {
  for (const name of needed) cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'))
  const chosen = mutants.filter(({ guard }) => guard.includes(values.only))
  const suites = [...new Set(chosen.flatMap(({ tests }) => tests))]
  if (passes(suites) !== true)
    throw new Error(`the tests fail before anything is broken: ${suites.join(' ')}`)
  let survivors = 0
  for (const mutant of chosen) {
    const verdict = verdictOn(mutant)
    if (verdict !== 'caught') survivors += 1
    process.stdout.write(`${verdict.padEnd(16)} ${mutant.guard}\n`)
  }
  process.stdout.write(`${chosen.length} guards taken away, ${chosen.length - survivors} caught\n`)
  process.exitCode = survivors > 0 || chosen.length === 0 ? 1 : 0
} finally {
  rmSync(copy, { recursive: true })
}
