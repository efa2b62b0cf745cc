import { systemClock, type Alert, type JobClient } from 'stepward'
import type { Order } from './orders-file.js'
import { askService } from './services-client.js'
import { orderFulfilment } from './workflow.js'

/** A delivery that is not answered is asked for again, under the same key, this often. */
const maxTries = 5
const answerWithinMs = 1_000

/** The person in front of whom orders end that nobody could fulfil: is alerted, fills the shelves, has them tried again. */
export class Operator {
  private readonly alertsByJob = new Map<string, Alert>()

  /** Everything that was the matter, the latest of each job. */
  get alerts(): readonly Alert[] {
    return [...this.alertsByJob.values()]
  }

  /** Takes alerts; the same one may come again. */
  alert(alerts: readonly Alert[]): void {
    for (const alert of alerts) this.alertsByJob.set(alert.jobId, alert)
  }

  isAlertedOf(jobId: string): boolean {
    return this.alertsByJob.has(jobId)
  }

  /** Has delivered what these orders ask for. */
  async restock(servicesUrl: string, orders: readonly Order[]): Promise<void> {
    for (const { orderId, lines } of orders) {
      for (const [index, { productId, quantity }] of lines.entries()) {
        await this.deliver(servicesUrl, `delivery for ${orderId}, line ${index + 1}`, { productId, quantity })
      }
    }
  }

  /** Has everything tried again that failed; answers which jobs that were. */
  async resubmit(client: JobClient): Promise<readonly string[]> {
    const failed = client.select({ workflow: orderFulfilment.name, state: 'Error' })
    const { done } = await failed.resubmit({ by: 'operator', why: 'the shelves are filled' })
    return done
  }

  private async deliver(servicesUrl: string, idempotencyKey: string, body: object): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const late = new AbortController()
      const timer = systemClock.schedule(answerWithinMs, () => late.abort())
      const { signal } = late
      const request = { method: 'POST', path: '/inventory/deliveries', idempotencyKey, body, signal } as const
      try {
        await askService(servicesUrl, request)
        return
      } catch (error) {
        if (tries === maxTries) throw error
      } finally {
        timer.cancel()
      }
    }
  }
}
