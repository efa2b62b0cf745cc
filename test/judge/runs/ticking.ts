import { defineSchedule, defineWorkflow } from 'stepward'
import { named, type Receipt } from './agents.js'
import type { Mood } from './remote.js'
import { completeWithinMs, names } from './setup.js'

interface TickInput {
  readonly schedule: string
  readonly due: string
}

/** The workflow of each tick. Its two steps take turns at a limit, which they share with other jobs of the run. */
const ticked = defineWorkflow<TickInput>('ticked', (job) => {
  const nap = job.sleep('nap', 500)
  for (const id of ['a', 'b']) {
    job.step<{ moods: readonly Mood[] }, Receipt>(
      id,
      named.remote.act,
      { moods: ['slow'] },
      {
        after: [nap],
        completeWithin: completeWithinMs,
        retry: { tries: 5, backoff: { min: 100, max: 200 } },
        limits: [{ key: names.limit, atOnce: 1 }],
      },
    )
  }
})

/** The schedule of every run. A run takes longer than a tick, so some ticks are skipped. */
export const ticking = defineSchedule('ticking', {
  every: '1s',
  workflow: ticked,
  input: (tick) => ({ schedule: tick.scheduleId, due: tick.due }),
  overlap: 'skip',
})
