/**
 * `npm run mutants` mutates the files that decide, one place at a time, and checks that tests fail. Ends with
 * 1 when a mutant survives that `survivors.ts` does not list, when a listed one is caught, or when a room
 * scores less than 90 %. `npm run mutants -- --only PATH` takes only files whose path contains PATH. Results
 * are kept in `.stepward/mutants` while a file and its tests do not change; `-- --again` judges everything.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import ts from 'typescript'
import { decisionFiles, guards, type DecisionFile } from './decision-files.js'
import { survivors } from './survivors.js'
import { plain, scoreOf, verdictOn, type MutantResult, type Verdict } from './verdict.js'

const lowestScore = 90

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    again: { type: 'boolean', default: false },
  },
})

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The file to mutate, or its named lines. */
function mutated({ path, lines }: DecisionFile): string[] {
  if (lines === undefined) return [path]
  const text = readFileSync(path, 'utf8').split('\n')
  return lines.map((line) => {
    const number = text.findIndex((candidate) => candidate.trim() === line) + 1
    if (number === 0) throw new RangeError(`${path} has no line ${line}`)
    return `${path}:${number}-${number}`
  })
}

/** The kept results of a file. */
interface Kept {
  readonly of: string
  readonly results: readonly MutantResult[]
}

/**
 * The results of a file, from an earlier run if the code of the file and of its tests is still the same. The mutation
 * tester's own cache is not used, because it does not judge code at module level again when tests are added.
 */
async function resultsOf(file: DecisionFile): Promise<readonly MutantResult[]> {
  const { path, tests, lines } = file
  const keptAt = join('.stepward/mutants', `${path}${lines === undefined ? '' : '.lines'}.json`)
  const hash = createHash('sha256').update(JSON.stringify(file))
  for (const part of [path, ...tests]) hash.update(withoutComments(readFileSync(part, 'utf8')))
  const of = hash.digest('hex')
  if (!values.again && existsSync(keptAt)) {
    const kept = JSON.parse(readFileSync(keptAt, 'utf8')) as Kept
    if (kept.of === of) return kept.results
  }
  const results = await judged(file)
  mkdirSync(dirname(keptAt), { recursive: true })
  writeFileSync(keptAt, JSON.stringify({ of, results } satisfies Kept))
  return results
}

/** The code of a file as JavaScript, so that a change of a comment makes no result invalid. */
function withoutComments(source: string): string {
  return ts.transpile(source, { removeComments: true, target: ts.ScriptTarget.ESNext })
}

async function judged(file: DecisionFile): Promise<MutantResult[]> {
  const { path, tests } = file
  // The test configuration reads this variable, in a process of the mutation tester.
  process.env['STEPWARD_MUTANTS_TESTS'] = tests.join(',')
  const source = readFileSync(path, 'utf8').split('\n')
  const stryker = new Stryker({ mutate: mutated(file), configFile: 'test/mutants/stryker.config.json' })
  return (await stryker.runMutationTest()).map(({ status, location: { start, end }, replacement }) => {
    // Lines and columns count from 1.
    const within = source.slice(start.line - 1, end.line)
    const last = within.at(-1) ?? ''
    const whole = [...within.slice(0, -1), last.slice(0, end.column - 1)].join('\n')
    return {
      path,
      status,
      line: plain(within[0] ?? ''),
      lineNumber: start.line,
      code: plain(whole.slice(start.column - 1)),
      becomes: plain(replacement),
    }
  })
}

/** Prints survivors that are not listed, in the form of the list. */
function tell({ path, caught, survived, unlisted, obsolete }: Verdict): void {
  const score = scoreOf([{ path, caught, survived, unlisted, obsolete }]).toFixed(1)
  say(`${score.padStart(6)} %  ${path}: ${caught} caught, ${survived.length} survive`)
  for (const { status, line, lineNumber, code, becomes } of unlisted) {
    say(
      `          ${status} at line ${lineNumber}: [${[line, code, becomes].map((x) => JSON.stringify(x)).join(', ')}],`,
    )
  }
  for (const key of obsolete)
    say(`          no survivor, take it off the list: ${key.split('\n').join(' | ')}`)
}

const chosen = [...decisionFiles, ...guards].filter(({ path }) =>
  values.only.some((part) => path.includes(part)),
)
const verdicts: Verdict[] = []
for (const file of chosen) {
  const own = file.lines === undefined ? survivors : []
  const verdict = verdictOn(file.path, await resultsOf(file), own)
  tell(verdict)
  verdicts.push(verdict)
}

const rooms = [...new Set(decisionFiles.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)))]
const scores = rooms.flatMap((room) => {
  const within = verdicts.filter(({ path }) => path.startsWith(room))
  return within.length === 0 ? [] : [{ room, score: scoreOf(within) }]
})
for (const { room, score } of scores) say(`${score.toFixed(1).padStart(6)} %  ${room}`)
say(`${scoreOf(verdicts).toFixed(1).padStart(6)} %  of all`)
const isFine =
  verdicts.length > 0 &&
  verdicts.every(({ unlisted, obsolete }) => unlisted.length + obsolete.length === 0) &&
  scores.every(({ score }) => score >= lowestScore)
process.exitCode = isFine ? 0 : 1
