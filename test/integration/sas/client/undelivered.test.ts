import { beforeEach, describe, expect, it } from 'vitest'
import { CommandRefused, JobNotFound } from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { StateWorld } from '../../../support/state-world.js'
import type { ResendOptions } from '../../../../src/sas/client/command-options.js'

const replyTo = 'https://shop.example/replies?token=hidden'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** A job whose first notice was given up. */
async function untold(jobId: string, since: string): Promise<void> {
  await world.submitted({ pay: [] }, {}, { jobId, partition: jobId, replyTo })
  const [notice] = await world.truth.listNotices(jobId, jobId)
  if (notice === undefined) throw new Error('a job with replyTo has a notice')
  const attention = { kind: 'notify' as const, since, by: 'n', message: 'answered 404' }
  const givenUp = { ...notice, completeByMs: null, failureCount: 30, attention }
  await world.put(jobId, [replacing(notice, givenUp)])
}

describe('notices that were given up', () => {
  it('are listed, oldest first, with their receiver but without its secrets', async () => {
    await untold('late', '2026-01-02T00:00:00.000Z')
    await untold('early', '2026-01-01T00:00:00.000Z')
    const shown = await client.undelivered()
    expect(shown.map(({ jobId }) => jobId)).toEqual(['early', 'late'])
    expect(shown[0]).toMatchObject({
      workflow: 'shopping',
      seq: 1,
      kind: 'received',
      receiver: 'https://shop.example',
      message: 'answered 404',
    })
    expect(JSON.stringify(shown)).not.toContain('hidden')
  })

  it('are sent again, with all their tries, when an operator resends them (W11)', async () => {
    await untold('one', '')
    await untold('two', '')
    await world.clock.advance(5_000)
    expect(await client.resend('one')).toBe(1)
    expect(await world.truth.listNotices('one', 'one')).toMatchObject([
      { completeByMs: world.clock.now(), failureCount: 0, attention: null },
    ])
    expect((await client.undelivered()).map(({ jobId }) => jobId)).toEqual(['two'])
  })

  it('record the time, operator and reason of each resend, oldest first', async () => {
    await untold('one', '')
    await world.clock.advance(5_000)
    await client.resend('one', { by: 'ann', why: 'the shop is back' })
    const sentAgain = { at: new Date(world.clock.now()).toISOString(), by: 'ann', why: 'the shop is back' }
    expect(await world.truth.listNotices('one', 'one')).toMatchObject([{ resends: [sentAgain] }])
    const [notice] = await world.truth.listNotices('one', 'one')
    if (notice === undefined) throw new Error('the job has a notice')
    const attention = { kind: 'notify' as const, since: '', by: 'n', message: 'answered 500' }
    await world.put('one', [replacing(notice, { ...notice, completeByMs: null, attention })])
    expect(await client.undelivered()).toMatchObject([{ resends: [sentAgain] }])
    await client.resend('one')
    expect(await world.truth.listNotices('one', 'one')).toMatchObject([
      { resends: [sentAgain, { by: 'operator', why: 'sent again' }] },
    ])
    expect(world.telemetry.of('job.operated')).toMatchObject([
      { jobId: 'one', workflow: 'shopping', command: 'resend', by: 'ann', why: 'the shop is back' },
      { command: 'resend', by: 'operator' },
    ])
  })

  it.each([
    ['by', { by: '' }],
    ['why', { why: '' }],
    ['dryRun', { dryRun: 'yes' }],
  ])('are not sent again by a call with an invalid %s', async (name, options) => {
    await untold('one', '')
    await expect(client.resend('one', options as ResendOptions)).rejects.toThrow(
      new RegExp(`^resend: ${name} `),
    )
    expect(await client.undelivered()).toHaveLength(1)
  })

  it('are left as they are by a dry run', async () => {
    await untold('one', '')
    const writes = world.faults.count('apply')
    expect(await client.resend('one', { dryRun: true })).toBe(1)
    expect(world.faults.count('apply')).toBe(writes)
    expect(await client.undelivered()).toHaveLength(1)
  })

  it.each(['applied', 'lost'] as const)(
    'are written once when the reply is lost and the write was %s',
    async (truth) => {
      await untold('one', '')
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      expect(await client.resend('one')).toBe(1)
      expect(await client.undelivered()).toEqual([])
      expect(world.faults.writes).toHaveLength(truth === 'applied' ? 1 : 2)
    },
  )

  it('are left alone when another process has changed them meanwhile', async () => {
    await untold('one', '')
    const [notice] = await world.queries.listUndelivered({ jobId: 'one' })
    if (notice === undefined) throw new Error('it was given up')
    const sent = { ...notice, attention: null, sentAt: '2026-01-03' }
    world.faults.failWrites({ kind: 'rival', write: () => world.put('one', [replacing(notice, sent)]) })
    await client.resend('one')
    expect(await world.truth.read(notice)).toMatchObject({ sentAt: '2026-01-03', completeByMs: null })
  })

  it('are needed for a resend, which is refused for a job without any and for an unknown job', async () => {
    await world.submitted({ pay: [] }, {}, { jobId: 'told', partition: 'told', replyTo })
    await expect(client.resend('told')).rejects.toThrow(CommandRefused)
    await expect(client.resend('missing')).rejects.toThrow(JobNotFound)
  })
})
