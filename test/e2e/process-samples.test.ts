import { describe, expect, it } from 'vitest'
import { run, sampleRun } from './processes.js'

describe('the sample `insurance-claim`', () => {
  it('pays, declines, escalates and undoes claims, and says what happened to each', async () => {
    const { stdout, stderr, code } = await run(sampleRun('insurance-claim'), ['--day', '1000'])
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

describe('the sample `nightly-run`', () => {
  it('makes a statement for each account within the limit, and collects those that failed', async () => {
    const { stdout, stderr, code } = await run(sampleRun('nightly-run'), ['--items', '200'])
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^the next statements are due at \S+T0[01]:30:00\.000Z\n/u)
    expect(stdout).toContain('198 statements are made and 2 failed; the service made 198\n')
    const most = Number(/at most (\d+) calls were under way at once/u.exec(stdout)?.[1])
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(20)
    expect(stdout).toMatch(/failed: nightly-statements@\S+\/each\/193: .*the account is locked\n/u)
    expect(stdout).toMatch(/failed: nightly-statements@\S+\/each\/96: .*the account is locked\n/u)
    expect(stdout).toMatch(/ RU an item\n/u)
    expect(stdout).toContain('mail: 1 to the team\n')
  })

  it('refuses a number of items that it cannot run', async () => {
    const { stderr, code } = await run(sampleRun('nightly-run'), ['--items', 'many'])
    expect(stderr).toContain('--items "many" must be a whole number from 1 to 10000\nusage:')
    expect(code).toBe(1)
  })
})

describe('the sample `agent-loop`', () => {
  it('has the effect of each of 200 rounds once and in order, although its process is killed', async () => {
    const { stdout, stderr, code } = await run(sampleRun('agent-loop'), ['--kills', '4', '--seed', '7'])
    expect(code, stdout + stderr).toBe(0)
    expect(stdout.match(/the agent is killed while it calls/gu)).toHaveLength(4)
    expect(stdout).toMatch(/^200 rounds in .* 4 kills, \d+ calls were repeated$/mu)
    expect(stdout).toContain(
      'each round had its effect exactly once and in order; the book has 24750 words\n',
    )
  })
})
