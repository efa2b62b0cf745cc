/** What a process of `npm run simulate -- --processes 2` does: simulates what it is asked to, until nobody asks any more. */
import process from 'node:process'
import { judged } from './run-seeds.js'
import type { SeedRequest } from './seed-process.js'

process.on('message', ({ run, isRepeated }: SeedRequest) => {
  judged(run, isRepeated).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      // Who waits for the report learns of it by our end.
      process.stderr.write(`seed ${run.seed}: ${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
