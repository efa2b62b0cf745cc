import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect, type JobClient } from 'stepward'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cli, start, startEmulatorProcess, temporaryDirectory, type Running } from './processes.js'

const jobCount = 20
const ids = Array.from({ length: jobCount }, (_, index) => `job-${index}`)

/** An agent that lingers in the first process and is quick in the next, and notes each call in a file. */
function moduleOf(calls: string): string {
  return `
    import { appendFileSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { defineAgent, defineWorkflow } from ${JSON.stringify(pathToFileURL(join(cli, '../../index.js')).href)}
    export const lodger = defineAgent('lodger', {
      linger: async (input, { idempotencyKey }) => {
        appendFileSync(${JSON.stringify(calls)}, idempotencyKey + '\\n')
        await setTimeout(Number(process.env.LINGER_MS), undefined, { ref: false })
        return input
      },
    })
    const define = (name, options) => defineWorkflow(name, (job) => {
      job.step('only', lodger.linger, {}, { ...options, undo: 'none' })
    })
    export const stay = define('stay', {})
    export const claimed = define('claimed', { claim: true })
  `
}

interface Scene {
  readonly client: JobClient
  readonly calls: () => Promise<readonly string[]>
  readonly worker: (roles: string, lingerMs: number) => Running
  readonly workflows: Readonly<Record<'stay' | 'claimed', Parameters<JobClient['submit']>[0]>>
}

async function scene(): Promise<Scene> {
  const directory = await temporaryDirectory()
  const [calls, agents, config] = ['calls', 'agents.mjs', 'config.json'].map((name) => join(directory, name))
  if (calls === undefined || agents === undefined || config === undefined) throw new Error('unreachable')
  await writeFile(calls, '')
  await writeFile(agents, moduleOf(calls))
  await writeFile(
    config,
    JSON.stringify({ slots: 64, timing: { checkpointInterval: '100ms', leaseRenewInterval: '500ms' } }),
  )
  const store = await startEmulatorProcess(['--port', '0'])
  const client = await connect({ endpoint: store.endpoint, key: store.env['COSMOS_KEY'] ?? '' })
  onTestFinished(() => client.close())
  return {
    client,
    calls: async () => (await readFile(calls, 'utf8')).split('\n').filter((line) => line !== ''),
    worker: (roles, lingerMs) =>
      start(cli, ['start', '--role', roles, '--agents', agents, '--config', config, '--verbose'], {
        ...store.env,
        LINGER_MS: String(lingerMs),
      }),
    workflows: (await import(pathToFileURL(agents).href)) as Scene['workflows'],
  }
}

describe.runIf(process.platform === 'linux')('a worker without a fleet that is killed', () => {
  it.each<[roles: string, workflow: 'stay' | 'claimed']>([
    ['all', 'stay'],
    ['agents', 'claimed'],
  ])(
    'is succeeded on its machine before its leases expire and before a deadline (%s, %s, F-L31, F-A31)',
    async (roles, workflow) => {
      const { client, calls, worker, workflows } = await scene()
      const others = roles === 'all' ? [] : ['scheduler', 'supervisor'].map((role) => worker(role, 0))
      await Promise.all(others.map((other) => other.line('host.started')))
      const killed = worker(roles, 600_000)
      await killed.line('host.started')
      const submitted = ids.map((jobId) => client.submit(workflows[workflow], {}, { jobId }))
      const jobs = await Promise.all(submitted)
      await killed.line('step.started', jobCount)
      // A checkpoint is now behind all steps, so the feed alone would not deliver them again.
      await killed.line('lease.renewed', killed.count('lease.renewed') + 8)
      await killed.kill('SIGKILL')
      const successor = worker(roles, 1)
      await Promise.all(jobs.map((job) => job.result()))

      expect(successor.count('lease.freed')).toBeGreaterThan(0)
      const views = await Promise.all(jobs.map((job) => job.view()))
      const attempts = views.flatMap(({ steps }) => steps.map(({ attempt }) => attempt))
      expect(new Set(attempts), 'a second attempt begins only after the deadline').toEqual(new Set([1]))
      const keys = await calls()
      expect(new Set(keys).size, 'no job is lost').toBe(jobCount)
      expect(keys).toHaveLength(2 * jobCount)
    },
  )
})
