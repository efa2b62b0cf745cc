import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/index.js'
import { isTerminal } from '../../../../src/sas/model/process-state.js'
import type { StateDocument } from '../../../../src/sas/store/state-store.js'
import { StateWorld } from '../../../support/state-world.js'

/** What a host of commit 5452b45d left when it was killed (`npm run try:older -- --documents FILE`). */
const left = JSON.parse(
  readFileSync(new URL('jobs-of-version-1.json', import.meta.url), 'utf8'),
) as readonly (StateDocument & {
  readonly type: string
  readonly jobId: string
  readonly submittedAtMs?: number
})[]

const shop = defineAgent('shop', {
  sell: ({ item }: { readonly item: string }, context) => {
    if (item === 'never') context.failPermanently(new Error('it is sold out'))
    return { item }
  },
  takeBack: () => null,
})

const ends = {
  'begun-chain-0': 'Processed',
  'begun-fan-0': 'Processed',
  'begun-retried-0': 'Processed',
  'begun-undone-0': 'Compensated',
  'begun-failed-0': 'Error',
}

it('jobs that were begun by a build without limits and questions run to their ends', async () => {
  const world = new StateWorld()
  const jobs = left.filter(({ type }) => type === 'sas.job')
  expect(jobs.map(({ jobId }) => jobId).sort()).toEqual(Object.keys(ends).sort())
  const submittedMs = Math.max(...jobs.map(({ submittedAtMs = 0 }) => submittedAtMs))
  await world.clock.advance(submittedMs - world.clock.now())
  for (const { pk } of jobs) {
    await world.put(
      pk,
      left.filter((each) => each.pk === pk).map((document) => ({ kind: 'create', document })),
    )
  }
  const [scheduler, agents, supervisor] = [
    world.scheduler(),
    world.agents({ agents: [shop] }),
    world.supervisor(),
  ]
  const states = async () => Promise.all(jobs.map(({ jobId }) => world.job(jobId)))
  const context = { leaseToken: '0', signal: new AbortController().signal }
  for (let round = 0; round < 60 && !(await states()).every(isTerminal); round += 1) {
    const page = await world.changes()
    await scheduler.onChanges(page)
    await agents.onChanges(page, context)
    await world.clock.advance(1_000)
    await supervisor.runOnce()
  }
  const found = (await states()).map(({ jobId, processState }) => [jobId, processState])
  expect(Object.fromEntries(found)).toEqual(ends)
})
