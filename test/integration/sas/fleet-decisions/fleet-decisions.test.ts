import { expect, it } from 'vitest'
import { connectWithPorts } from '../../../../src/connection/internal.js'
import { attachAccount } from '../../../../src/emulator/attach/attached-account.js'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import { serveDoor } from '../../../../src/engine-ports/index.js'
import { readAudit } from '../../../../src/operations/index.js'
import { recordFleetDecision } from '../../../../src/sas/internal.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'

const terms = { command: 'scale', role: 'agents', target: 'fleet on host-1', why: 'the sale' } as const

it('every door to a store records decisions, also at the same time, and the audit lists them', async () => {
  const dataDirectory = scratchDirectory()
  const cosmos = createInProcessCosmos({ dataDirectory })
  serveDoor(cosmos)
  const engine = await connectWithPorts({ embedded: cosmos })
  const attached = await attachAccount(dataDirectory)
  if (attached === null) throw new Error('no process has the directory open')
  const client = cosmos.client()
  const door = await connectWithPorts({ embedded: attached })
  const sdk = await connectWithPorts({ client })
  const record = ({ ports, clock }: typeof engine, by: string, to: number): Promise<void> =>
    recordFleetDecision({ store: ports.state, clock }, { ...terms, by, from: 1, to })
  await record(engine, 'engine', 2)
  await record(door, 'door', 3)
  await record(sdk, 'sdk', 4)
  await Promise.all([record(engine, 'one', 5), record(door, 'two', 6), record(sdk, 'three', 7)])
  const role = { command: 'rebalance', role: 'all', target: 'app shop', from: null, to: null } as const
  const { state } = sdk.ports
  await recordFleetDecision({ store: state, clock: sdk.clock }, { ...role, by: 'sdk', why: 'uneven' })
  for (const { ports } of [engine, door, sdk]) {
    const { rows } = await readAudit(ports.queries, { beforeMs: null, limit: 10 })
    expect(rows).toHaveLength(7)
    expect(rows.map(({ by }) => by).toSorted()).toEqual(
      ['door', 'engine', 'one', 'sdk', 'sdk', 'three', 'two'].toSorted(),
    )
    const found = rows.find(({ command }) => command === 'rebalance')
    expect(found).toMatchObject({ about: 'fleet', id: 'all', target: 'app shop', why: 'uneven' })
    expect(rows.find(({ by }) => by === 'door')).toMatchObject({
      about: 'fleet',
      id: 'agents',
      command: 'scale 1 → 3',
      target: 'fleet on host-1',
      why: 'the sale',
    })
  }
  for (const { close } of [sdk, door, engine]) await close()
  client.dispose()
  await cosmos.close()
})
