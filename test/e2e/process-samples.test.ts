import { describe, expect, it } from 'vitest'
import { run, sampleRun } from './processes.js'

describe('the sample `insurance-claim`', () => {
  it('pays, declines, escalates and undoes claims, and says what happened to each', async () => {
    const { stdout, stderr, code } = await run(sampleRun('insurance-claim'), [])
    expect(code, stderr).toBe(0)
    const [, accounts = ''] = stdout.split('The claims:\n')
    const claims = new Map(
      accounts.split(/^(?=C-)/mu).map((account) => [account.slice(0, 3), account.replaceAll('\n  ', ' | ')]),
    )
    expect(claims.get('C-1')).toMatch(
      /^C-1 of ada: Processed \| .*ann approves 380 EUR \| reserve, pay, close/u,
    )
    expect(claims.get('C-2')).toMatch(
      /ben: Processed \| ann is reminded; the question goes to the head of claims too; head of claims approves 1900 EUR \|/u,
    )
    expect(claims.get('C-3')).toMatch(/cleo: Processed \| .*ann declines: .* \| letter/u)
    expect(claims.get('C-4')).toMatch(
      /dan: Compensated \| .*step pay: the account is closed \| reserve \(undone\)/u,
    )
    expect(claims.get('C-5')).toMatch(/eve: Processed \| .* \| table, reserve, pay, close/u)
    expect(claims.get('C-6')).toMatch(/fay: Compensated \| .* \| reserve \(undone\), pay \(undone\)/u)
    expect(claims.get('C-7')).toMatch(/gus: Processed \| .*head of claims too \| letter/u)
    expect(stdout).toContain('The bank has paid 3 claims and holds 3 reservations.\n')
  })
})
