import type { StepDocument } from '../model/documents.js'
import { bytesOf, exceeds, maxTransactionBytes } from '../store/transaction.js'
import { payloadsOf } from '../waiting/collect-event.js'

/**
 * Returns the reason why a step is too large with the event or the answer that it has just received, or null. The payload
 * becomes the output of the step, which is written in one transaction with the job.
 */
export function receivedProblem(job: object, step: StepDocument): string | null {
  const output = payloadsOf(step) ?? step.event?.payload ?? null
  if (!exceeds([job, step, output], maxTransactionBytes)) return null
  const [received, others] = [bytesOf(output), bytesOf([job, { ...step, event: null }])]
  return (
    `has ${received} bytes, and the step stores it twice. The job with its step has ${others} bytes. ` +
    `All together may have at most ${maxTransactionBytes} bytes. Send the address of the data, not the data`
  )
}
