import { CosmosClient } from '@azure/cosmos'
import { connect } from 'stepward'
import { expect, it, onTestFinished } from 'vitest'
import { orderFulfilment } from '../../samples/orders/index.js'
import { readOrders } from '../../samples/orders/orders-file.js'
import { cli, ordersFile, run, startEmulatorProcess } from './processes.js'

it('a supervisor with `--once` recovers what is overdue, reports it, and ends (R106, R171)', async () => {
  const store = await startEmulatorProcess(['--port', '0'])
  const key = store.env['COSMOS_KEY'] ?? ''
  const client = await connect({ endpoint: store.endpoint, key })
  onTestFinished(() => client.close())
  const [order] = await readOrders(ordersFile)
  if (order === undefined) throw new Error('the sample has orders')
  const job = await client.submit(orderFulfilment, order)
  const once = () => run(cli, ['start', '--role', 'supervisor', '--once', '--json'], store.env)
  expect(JSON.parse((await once()).stdout)).toEqual({ lookedAt: 0, recovered: 0 })

  const cosmos = new CosmosClient({ endpoint: store.endpoint, key })
  onTestFinished(() => cosmos.dispose())
  const item = cosmos.database('stepward').container('state').item(`sas.job:${job.jobId}`, job.jobId)
  await item.patch([{ op: 'incr', path: '/submittedAtMs', value: -3_600_000 }])
  const ended = await once()
  expect(JSON.parse(ended.stdout)).toEqual({ lookedAt: 1, recovered: 1 })
  expect(ended.code).toBe(0)
  expect(await job.view()).toMatchObject({ state: 'Pending', attention: { kind: 'unclaimed' } })
})

it('`start --once` rejects roles other than the supervisor', async () => {
  const ended = await run(cli, ['start', '--role', 'all', '--once'])
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain('--once needs --role supervisor alone')
})
