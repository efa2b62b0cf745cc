import { systemClock, type Alert, type JobClient } from 'stepward'
import type { Order } from './orders-file.js'
import { askService } from './services-client.js'
import { orderFulfilment } from './workflow.js'

/** The largest number of tries for one delivery. All tries use the same key. */
const maxTries = 5
const answerWithinMs = 1_000

/** The operator receives alerts about failed orders, restocks the shelves and resubmits the orders. */
export class Operator {
  private readonly alertsByJob = new Map<string, Alert>()

  get alerts(): readonly Alert[] {
    return [...this.alertsByJob.values()]
  }

  /** Stores alerts. The same alert may arrive more than once. */
  alert(alerts: readonly Alert[]): void {
    for (const alert of alerts) this.alertsByJob.set(alert.jobId, alert)
  }

  isAlertedOf(jobId: string): boolean {
    return this.alertsByJob.has(jobId)
  }

  /** Delivers the products of these orders to the inventory. */
  async restock(servicesUrl: string, orders: readonly Order[]): Promise<void> {
    for (const { orderId, lines } of orders) {
      for (const [index, { productId, quantity }] of lines.entries()) {
        await this.deliver(servicesUrl, `delivery for ${orderId}, line ${index + 1}`, { productId, quantity })
      }
    }
  }

  /** Resubmits every failed job and returns the job ids. */
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
