/**
 * A process of `npm run simulate -- --processes 2`: simulates the requested runs until its parent ends it.
 */
import process from 'node:process'
import { judged } from './run-seeds.js'
import type { SeedRequest } from './seed-process.js'

process.on('message', ({ run, isRepeated }: SeedRequest) => {
  judged(run, isRepeated).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      // The parent, which waits for the report, notices that this process has ended.
      process.stderr.write(`seed ${run.seed}: ${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
