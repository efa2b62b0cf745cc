import { beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../../../src/connection/index.js'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import { startHost } from '../../../../src/host/index.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineAgent } from '../../../../src/sas/index.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

/** Passes a value that the compiler refuses, as a caller in JavaScript may. */
const wrong = (value: unknown): never => value as never

const flow = aWorkflow({ pay: [] })
let client: JobClient
beforeEach(() => {
  const { store, queries, clock, telemetry } = new StateWorld()
  client = new JobClient({ store, queries, clock, telemetry })
})

describe('a wrong argument has one error that names it', () => {
  it.each([[null], ['x'], [7]])('options of a submission: %o', async (options) => {
    await expect(client.submit(flow, {}, wrong(options))).rejects.toThrow(
      `submit: the options are ${JSON.stringify(options)}; they must be an object`,
    )
  })

  it.each(['resubmit', 'restart', 'triage'] as const)(
    'missing options of %s of many jobs',
    async (command) => {
      const many = client.select({})
      await expect(many[command](wrong(undefined))).rejects.toThrow(
        `${command}: the options are missing; they must be an object`,
      )
    },
  )

  it.each(['release', 'cancel'] as const)('options of %s of many jobs that are a text', async (command) => {
    const many = client.select({})
    const called = command === 'release' ? many.release(wrong('x')) : many.cancel('why', wrong('x'))
    await expect(called).rejects.toThrow(`${command}: the options are "x"; they must be an object`)
  })

  it.each([
    ['resubmit', () => client.resubmit('a', wrong('x'))],
    ['cancel', () => client.cancel('a', 'why', wrong('x'))],
    ['pause', () => client.pause('a', 'why', wrong('x'))],
  ])('options of %s that are a text', async (_command, called) => {
    await expect(called()).rejects.toThrow('the options are "x"; they must be an object')
  })

  it('jobs that are not flagged', async () => {
    await expect(client.list({ isFlagged: wrong(false) })).rejects.toThrow(
      'isFlagged is false; it must be true',
    )
  })

  it.each([[5], [[{ id: 'order' }]], [[null]]])('documents alongside: %j', async (alongside) => {
    await expect(client.submit(flow, {}, { jobId: 'a', alongside: wrong(alongside) })).rejects.toThrow(
      /submit: alongside is .*; it must be a list such as \[\{ create:/u,
    )
  })

  it.each([[{}], [{ jobId: 'x' }], [{ jobId: 'x', submittedAt: 5 }]])(
    'a position of a list: %j',
    async (after) => {
      await expect(client.list({ after: wrong(after) })).rejects.toThrow(
        'after is an object; it must be the last job of a page',
      )
    },
  )

  it('an unknown option of a view', async () => {
    const job = await client.submit(flow, {}, { jobId: 'a' })
    await expect(job.view(wrong({ readLeases: true }))).rejects.toThrow(
      'view: readLeases is not an option: did you mean readsLeases?',
    )
  })

  it.each([
    [undefined, 'missing'],
    [null, 'null'],
    ['x', '"x"'],
  ])('options of a host: %o', async (options, shown) => {
    await expect(startHost(wrong(options))).rejects.toThrow(`the argument is ${shown}; it must be an object`)
  })

  it('an embedded store that is null', async () => {
    const agents = [defineAgent('a', { b: () => null })]
    for (const call of [connect({ embedded: wrong(null) }), startHost({ embedded: wrong(null), agents })])
      await expect(call).rejects.toThrow(
        'embedded is null: if it is from attachAccount(), no process has the data directory open',
      )
  })

  it('missing operations of an agent', () => {
    expect(() => defineAgent('a', wrong(undefined))).toThrow('it needs at least one operation')
  })
})

it('a job as JSON is its address', async () => {
  const cosmos = createInProcessCosmos()
  const connected = await connect({ embedded: cosmos })
  const job = await connected.submit(flow, {}, { jobId: 'a', partitionKey: 'p' })
  expect(JSON.parse(JSON.stringify({ job }))).toEqual({ job: { jobId: 'a', partitionKey: 'p' } })
  connected.close()
  await cosmos.close()
})
