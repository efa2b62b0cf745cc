import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cli, ordersModule, ordersServices, start, temporaryDirectory, type Running } from './processes.js'

/** Times short enough for a test; their relations are those of the defaults. */
export const shortTimes = {
  timing: {
    leaseAcquireInterval: 300,
    leaseRenewInterval: 250,
    leaseExpirationInterval: 3_000,
    checkpointInterval: 200,
    pollInterval: { min: 20, max: 250 },
    stopTimeout: 3_000,
  },
  sweepInterval: 500,
  deadlineGrace: 100,
}

/** The orders' services as a process of their own, which no test kills: theirs is the ledger that judges. */
export async function startOrderServices(args: readonly string[]): Promise<string> {
  const services = start(ordersServices, ['--port', '0', ...args])
  const line = await services.line('listening on')
  return line.split(' ').at(-1) ?? ''
}

/** A way to start workers with every role, each a process of its own. */
export async function workerStarter(
  env: Readonly<Record<string, string>>,
  module = ordersModule,
): Promise<(more?: readonly string[]) => Running> {
  const config = join(await temporaryDirectory(), 'stepward.config.json')
  await writeFile(config, JSON.stringify(shortTimes))
  const args = ['start', '--role', 'all', '--agents', module, '--config', config]
  return (more = []) => start(cli, [...args, ...more], env)
}
