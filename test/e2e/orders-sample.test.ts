import { join, resolve } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { cli, ordersRun, run, temporaryDirectory } from './processes.js'

it('the sample ends every order and leaves a store that commands can read (R176)', async () => {
  const data = join(await temporaryDirectory(), 'data')
  const ended = await run(ordersRun, ['--json', '--data', data])
  const summary = JSON.parse(ended.stdout) as { requestUnitsPerJob: number; retries: number }
  // An order costs at most 260 request units, and each attempt that is tried again 100 more.
  expect(summary.requestUnitsPerJob - (summary.retries * 100) / 40).toBeLessThanOrEqual(260)
  expect(summary).toMatchObject({
    submitted: 40,
    ended: { Processed: 37, Error: 3 },
    lost: 0,
    duplicateEffects: 0,
    alerts: 3,
    shopToldOf: 40,
    misorderedReplies: 0,
  })
  expect(ended.code).toBe(0)

  const failed = JSON.parse(
    (await run(cli, ['list', '--data', data, '--state', 'error', '--json'])).stdout,
  ) as {
    jobId: string
    attention: { message: string; stepId: string }
  }[]
  expect(failed).toHaveLength(3)
  for (const { attention } of failed) {
    expect(attention.message).toContain('out-of-stock')
    expect(attention.stepId).toBe('reserve')
  }

  const status = await run(cli, ['status', failed[0]?.jobId ?? '', '--data', data])
  expect(status.stdout).toMatch(/state +Error/)
  expect(status.stdout).toMatch(/reserve +Error +\d+ +[1-9]\/10/)
  expect(status.stdout).toMatch(/charge +Pending +0\/10/)
  const counts = await run(cli, ['status', '--data', data, '--json'])
  expect(JSON.parse(counts.stdout)).toEqual({
    ...{ Pending: 0, Processing: 0, Compensating: 0 },
    ...{ Processed: 37, Error: 3, Compensated: 0 },
  })
})

it('an alerted operator resubmits failed orders, and the shop is notified (R114, R116, R118)', async () => {
  const data = join(await temporaryDirectory(), 'data')
  const ended = await run(ordersRun, ['--json', '--restock', '--data', data])
  expect(JSON.parse(ended.stdout)).toMatchObject({
    ended: { Processed: 40 },
    lost: 0,
    duplicateEffects: 0,
    alerts: 3,
    shopToldOf: 40,
    misorderedReplies: 0,
  })
  expect(ended.code).toBe(0)
  const nothing = await run(cli, ['attention', '--data', data])
  expect(nothing).toMatchObject({ code: 0, stdout: 'nothing needs attention\n' })
  const status = await run(cli, ['status', 'SW-1008', '--data', data])
  expect(status.stdout).toMatch(/resubmit +(reserve )?by operator at \S+\s+the\s+shelves\s+are\s+filled/)
})

it('the sample prints lines of progress and a final table when its output is not a terminal', async () => {
  const data = join(await temporaryDirectory(), 'data')
  const ended = await run(ordersRun, ['--faults', 'none', '--data', data])
  const [, charge] = /request units per job +│ ([\d.]+)/.exec(ended.stdout) ?? []
  expect(Number(charge)).toBeLessThanOrEqual(260)
  expect(ended.stdout).toMatch(/^40\/40 orders ended/m)
  expect(ended.stdout).toMatch(/orders accepted +│ 40 /)
  expect(ended.stdout).toMatch(/alert: SW-1008: .*out-of-stock/)
  const [, store = ''] = /npx stepward page --data (\S+)/.exec(ended.stdout) ?? []
  expect(resolve(store)).toBe(data)
  expect(ended.stdout).toMatch(/npx stepward status SW-10\d\d --data/)
  expect(ended.stdout + ended.stderr).not.toContain('Warning')
})

it('the sample checks its whole input file before it starts, and reports every problem', async () => {
  const file = join(await temporaryDirectory(), 'orders.jsonl')
  await writeFile(file, '{"orderId":"1"}\nnot json\n')
  const ended = await run(ordersRun, ['--orders', file])
  expect(ended.code).toBe(2)
  expect(ended.stderr).toMatch(/line 1: lines is missing/)
  expect(ended.stderr).toMatch(/line 2: is not JSON/)
})
