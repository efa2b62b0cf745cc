/**
 * `npm run try:older -- --commit 5efa1292 --jobs 4` compiles an older commit, and lets its hosts and those of the
 * present build work on one store. It checks three things. Jobs that the older build began continue under the
 * present one. Hosts of both builds work beside each other. When a present host dies in the middle of new jobs, the older
 * host does not touch jobs and limits whose version it does not know, and these jobs end when hosts of the present build
 * run. Exits with 1 if one of them is not so.
 * `--documents FILE` keeps the documents that the older host left when it was killed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { olderBuild } from './older/older-build.js'
import { tryOlder } from './older/try-older.js'

const { values } = parseArgs({
  options: {
    commit: { type: 'string', default: '5efa1292' },
    jobs: { type: 'string', default: '4' },
    documents: { type: 'string' },
  },
})
const compiled = fileURLToPath(new URL('../../', import.meta.url))
const root = join(compiled, '..', '..')
const older = await olderBuild(root, values.commit)
process.stdout.write(`commit ${older.commit} knows documents up to version ${older.schemaVersion}\n`)
const present = new URL('../../../../dist/src/index.js', import.meta.url).href
const keep = (documents: readonly object[]): void => {
  if (values.documents !== undefined) writeFileSync(values.documents, JSON.stringify(documents, null, 1))
}
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const problems = await tryOlder({ older, present, jobs: Number(values.jobs), print, keep })
for (const problem of problems) print(`BROKEN: ${problem}`)
if (problems.length > 0) process.exitCode = 1
