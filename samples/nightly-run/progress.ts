import { createLogUpdate } from 'log-update'
import type { Job } from 'stepward'

/**
 * Follows the job of the night to its end. Shows a bar on a terminal, and otherwise prints a line after each
 * tenth of the items.
 */
export async function showProgress(job: Job<unknown>, stream: NodeJS.WriteStream): Promise<void> {
  const live = stream.isTTY ? createLogUpdate(stream) : null
  let lastTenth = 0
  for await (const { steps } of job.updates()) {
    const { done = 0, of = 0 } = steps.find(({ stepId }) => stepId === 'each')?.progress ?? {}
    if (of === 0) continue
    const tenth = Math.floor((done * 10) / of)
    const line = `${done} of ${of} statements have ended`
    if (live !== null) live(`${'█'.repeat(tenth * 2)}${'░'.repeat(20 - tenth * 2)} ${line}`)
    else if (tenth > lastTenth) stream.write(`${line}\n`)
    lastTenth = tenth
  }
  live?.done()
}
