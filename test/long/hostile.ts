/**
 * `npm run hostile -- --requests 200000 --seed 1`: sends hostile requests to a real emulator. It checks that
 * every request is answered within 5 s and never with 500, that correct clients are served meanwhile, that the
 * process survives, and that its memory is bounded. `--from 1000` leaves out the first requests
 * of a seed, and `--only 1234` sends one request.
 */
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startEmulatorProcess } from '../bench/server-process.js'
import { runHostile, type Progress } from './hostile/run.js'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    'most-memory-mb': { type: 'string', default: '1000' },
  },
})
const cli = join(process.cwd(), 'dist/src/cli/main.js')
const seed = Number(values.seed)
const from = Number(values.only ?? values.from)
const to = values.only === undefined ? Number(values.requests) : from + 1

function line({ requests, memory, slowest, statuses, problems }: Progress): string {
  const counts = [...statuses].sort(([one], [other]) => one - other)
  return (
    `${requests} requests, ${memory.nowMb} MB now and ${memory.peakMb} MB at most, ` +
    `slowest ${slowest.milliseconds} ms: ${slowest.name}, ${problems.length} problems; ` +
    `answers ${counts.map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`).join(', ')}`
  )
}

// A small heap ends the process if it keeps much memory. With a large heap, garbage would hide this.
const server = await startEmulatorProcess(cli, ['--partitions', '3'], ['--max-old-space-size=512'])
const start = performance.now()
process.stdout.write(`seed ${seed}, requests ${from} to ${to - 1}\n`)
const progress = await runHostile({
  server,
  seed,
  from,
  to,
  mostMemoryMb: Number(values['most-memory-mb']),
  onBatch: (now) => process.stdout.write(`${line(now)}\n`),
  onProblem: (problem) => process.stdout.write(`\nBROKEN: ${problem}\n\n`),
})
await server.kill()
process.stdout.write(`\n${line(progress)}; ${Math.round((performance.now() - start) / 1_000)} s\n`)
if (progress.problems.length > 0 || progress.requests === 0) process.exitCode = 1
