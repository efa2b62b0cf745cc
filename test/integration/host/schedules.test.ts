import { defineAgent, defineSchedule, defineWorkflow, startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { expect, it } from 'vitest'

const shop = defineAgent('shop', { count: async () => 1 })
const workflow = defineWorkflow('stock', (job) => {
  job.step('count', shop.count, {}, { undo: 'none' })
})

it('a host stores its schedules when it starts, updates them, and deletes none', async () => {
  const client = createInProcessCosmos().client()
  const [daily, weekly] = ['1d', '7d'].map((every) => defineSchedule(`run-${every}`, { every, workflow }))
  const first = await startHost({
    client,
    agents: [shop],
    schedules: [daily, weekly].flatMap((s) => s ?? []),
  })
  expect((await first.client.schedules.list()).map(({ id }) => id)).toEqual(['run-1d', 'run-7d'])
  await first.stop()
  const changed = defineSchedule('run-1d', { every: '1d', workflow, overlap: 'queue' })
  const second = await startHost({ client, agents: [shop], schedules: [changed] })
  const stored = await second.client.schedules.list()
  expect(stored.map(({ id, overlap }) => [id, overlap])).toEqual([
    ['run-1d', 'queue'],
    ['run-7d', 'skip'],
  ])
  await second.stop()
})
