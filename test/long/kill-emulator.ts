/**
 * `npm run kill:emulator -- --kills 200 --seed 1`: kills a writing emulator repeatedly on one data directory.
 * After each kill it checks that nothing acknowledged is missing, no LSN was given twice, and no batch is
 * torn.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runKills } from './kills.js'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
})
const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-kills-'))
const { kills, acknowledged, broken } = await runKills({
  writer: [process.execPath, fileURLToPath(new URL('endless-writer.js', import.meta.url))],
  dataDirectory,
  kills: Number(values.kills),
  seed: Number(values.seed),
  onKill: (progress) => {
    if (progress.kills % 20 > 0 && progress.broken.length === 0) return
    process.stdout.write(`${progress.kills} kills, ${progress.acknowledged} batches acknowledged\n`)
  },
})
if (broken.length === 0) {
  rmSync(dataDirectory, { recursive: true })
  process.stdout.write(
    `${kills} kills, ${acknowledged} acknowledged batches: none lost, no LSN given twice, none torn.\n`,
  )
} else {
  process.stdout.write(`BROKEN after ${kills} kills with --seed ${values.seed}; see ${dataDirectory}\n`)
  for (const problem of broken) process.stdout.write(`  ${problem}\n`)
  process.exitCode = 1
}
