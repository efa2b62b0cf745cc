/**
 * `npm run bench:peers -- --peers FOLDER` compares Stepward with BullMQ and Restate: the same jobs of three
 * steps, with every write flushed to disk, in turns on the same machine. FOLDER is where the rivals are
 * installed. What is missing there is named, with the command that installs it. `--quick` makes one round.
 */
import { execFile } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { comparison, type Measured } from './peers/comparison.js'
import { fullPeersEffort, quickPeersEffort } from './peers/measured.js'
import type { PeerFigures } from './peers/peer.js'
import { peersIn } from './peers/peers-in.js'

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: '.stepward/peers' },
    quick: { type: 'boolean', default: false },
  },
})
const effort = values.quick ? quickPeersEffort : fullPeersEffort
const folder = resolve(values.peers)
const round = fileURLToPath(new URL('peers/round.js', import.meta.url))

async function measured(name: string): Promise<PeerFigures> {
  const args = [...process.execArgv, round, folder, name, JSON.stringify(effort)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as PeerFigures
}

const peers: string[] = []
for (const { name, missing } of peersIn(folder)) {
  const lacks = missing()
  if (lacks === null) peers.push(name)
  else process.stderr.write(`${name} is left out. To measure it, install: ${lacks}\n`)
}
const rows: Measured[] = peers.map((name) => ({ name, rounds: [] }))
for (let number = 1; number <= effort.rounds; number += 1) {
  for (const { name, rounds } of rows) {
    process.stderr.write(`round ${number} of ${effort.rounds}: ${name}\n`)
    rounds.push(await measured(name))
  }
}
const loadText = (loadavg()[0] ?? 0).toFixed(1)
process.stdout.write(`${comparison(rows)}\n${availableParallelism()} cores, load at the end: ${loadText}\n`)
