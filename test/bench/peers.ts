/**
 * `npm run bench:peers -- --peers FOLDER` compares Stepward with BullMQ and Restate: the same jobs of three
 * steps, with every write flushed to disk, in turns on the same machine. FOLDER is where the rivals are
 * installed. What is missing there is named, with the command that installs it. `--quick` makes one round.
 */
import { availableParallelism, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fullPeersEffort, measuredPeer, quickPeersEffort } from './peers/measured.js'
import type { PeerFigures } from './peers/peer.js'
import { rivalsIn } from './peers/rivals.js'
import { comparison, type Measured } from './peers/comparison.js'
import { stepwardPeers } from './peers/stepward.js'

const { values } = parseArgs({
  options: {
    peers: { type: 'string', default: '.stepward/peers' },
    quick: { type: 'boolean', default: false },
  },
})
const effort = values.quick ? quickPeersEffort : fullPeersEffort
const programs = {
  cli: join(process.cwd(), 'dist/src/cli/main.js'),
  workload: fileURLToPath(new URL('peers/ordering.js', import.meta.url)),
}
const all = [...stepwardPeers(programs), ...rivalsIn(resolve(values.peers))]
for (const peer of all) {
  const lacks = peer.missing()
  if (lacks !== null) process.stderr.write(`${peer.name} is left out. To measure it, install: ${lacks}\n`)
}
const peers = all.filter((peer) => peer.missing() === null)
const measured = new Map<string, PeerFigures[]>()
for (let round = 1; round <= effort.rounds; round += 1) {
  for (const peer of peers) {
    process.stderr.write(`round ${round} of ${effort.rounds}: ${peer.name}\n`)
    measured.set(peer.name, [...(measured.get(peer.name) ?? []), await measuredPeer(peer, effort)])
  }
}
const rows: Measured[] = [...measured].map(([name, rounds]) => ({ name, rounds }))
const loadText = (loadavg()[0] ?? 0).toFixed(1)
process.stdout.write(`${comparison(rows)}\n${availableParallelism()} cores, load at the end: ${loadText}\n`)
