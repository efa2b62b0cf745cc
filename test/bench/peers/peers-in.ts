import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Peer } from './peer.js'
import { rivalsIn } from './rivals.js'
import { stepwardPeers } from './stepward.js'

/** Returns all systems that are compared: the ways to run Stepward, and the rivals that are installed in a folder. */
export function peersIn(folder: string): readonly Peer[] {
  const programs = {
    cli: join(process.cwd(), 'dist/src/cli/main.js'),
    workload: fileURLToPath(new URL('ordering.js', import.meta.url)),
  }
  return [...stepwardPeers(programs), ...rivalsIn(folder)]
}
