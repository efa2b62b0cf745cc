/**
 * `round.js FOLDER NAME EFFORT` measures one system once, and prints its figures as JSON. Each measurement has a process of its
 * own, so that no system runs beside what another one has left in memory.
 */
import process from 'node:process'
import { measuredPeer, type PeersEffort } from './measured.js'
import { peersIn } from './peers-in.js'

const [folder = '', name, effort = ''] = process.argv.slice(2)
const peer = peersIn(folder).find((each) => each.name === name)
if (peer === undefined) throw new Error(`no system is called ${name}`)
const figures = await measuredPeer(peer, JSON.parse(effort) as PeersEffort)
process.stdout.write(`${JSON.stringify(figures)}\n`)
