import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../../src/platform/index.js'
import { Ledger } from '../../../../../samples/orders/services/ledger.js'
import { Payments } from '../../../../../samples/orders/services/payments.js'

function givenCharge() {
  const ledger = new Ledger(new VirtualClock())
  const payments = new Payments(ledger)
  const charged = payments.charge({ orderId: 'A', amount: 12.5 }, 'k')
  return { ledger, payments, charged, chargeId: String(charged.body?.['chargeId']) }
}

describe('Payments', () => {
  it('charges an order', () => {
    const { ledger, charged, chargeId } = givenCharge()
    expect(charged.status).toBe(201)
    expect(ledger.report().effects).toMatchObject([{ kind: 'charge', key: 'k', orderId: 'A', id: chargeId }])
  })

  it('refunds the whole charge', () => {
    const { ledger, payments, chargeId } = givenCharge()
    const refunded = payments.refund({ chargeId }, 'l')
    expect(refunded).toMatchObject({ status: 201, body: { amount: 12.5 } })
    expect(ledger.report().effects[1]).toMatchObject({ kind: 'refund', orderId: 'A', undoes: chargeId })
  })

  it('refunds a charge once, even under another key', () => {
    const { ledger, payments, chargeId } = givenCharge()
    const refundId = payments.refund({ chargeId }, 'l').body?.['refundId']
    expect(payments.refund({ chargeId }, 'm')).toMatchObject({
      status: 409,
      body: { code: 'already-refunded', refundId },
    })
    expect(ledger.report().effects).toHaveLength(2)
  })

  it('answers 404 for an unknown charge', () => {
    expect(givenCharge().payments.refund({ chargeId: 'charge-0' }, 'l')).toMatchObject({ status: 404 })
  })
})
