/**
 * `npm run bench:leases` simulates deployment units of up to 1,000 leases and 100 hosts in virtual time. It
 * prints how many acquire intervals pass until the leases are balanced, and the requests to the lease container.
 */
import process from 'node:process'
import { shown } from './figure-table.js'
import { isMet, type Figure } from './figure.js'
import { measuredLeases } from './leases/measured.js'

const sizes = [
  { leases: 100, hosts: 10 },
  { leases: 300, hosts: 30 },
  { leases: 1_000, hosts: 100 },
]
const figures: Figure[] = []
for (const size of sizes) figures.push(...(await measuredLeases(size)))
process.stdout.write(`${shown(figures)}\n`)
process.exitCode = figures.every(isMet) ? 0 : 1
