import { listLeases } from '../../src/operations/index.js'
import { cli, ordersModule, run, start, temporaryDirectory, type Running } from './processes.js'

/** A process of a fleet, as `stepward fleet --json` shows it. */
export interface FleetProcess {
  readonly role: string
  readonly instanceName: string
  readonly processId: number
  readonly state: string
}

/** A lease, as `stepward leases --json` shows it. */
export interface ShownLease {
  readonly processorName: string
  readonly leaseToken: string
  readonly owner: string | null
}

/** A fleet whose processes have every role, and other terminals that speak to it. */
export interface LocalFleet {
  readonly parent: Running
  processes(): Promise<readonly FleetProcess[]>
  leases(): Promise<readonly ShownLease[]>
  command(...words: readonly string[]): ReturnType<typeof run>
}

/**
 * Starts `stepward start --role all --instances N` on the orders' agents, with a state directory of the
 * test's own.
 */
export async function startLocalFleet(
  instances: number,
  env: Readonly<Record<string, string>>,
  extra: readonly string[] = [],
): Promise<LocalFleet> {
  const state = extra.includes('--state') ? [] : ['--state', await temporaryDirectory()]
  const what = ['start', '--role', 'all', '--agents', ordersModule, '--instances', String(instances)]
  const parent = start(cli, [...what, ...state, ...extra], env)
  const command = (...words: readonly string[]): ReturnType<typeof run> => run(cli, [...words, ...state], env)
  await parent.line('Using ')
  return {
    parent,
    command,
    processes: async () => {
      const { stdout } = await command('fleet', '--json')
      return (JSON.parse(stdout) as { rows: FleetProcess[] }).rows
    },
    // Tests ask again and again, and a process for each question takes longer than the fleet.
    leases: () => listLeases({ endpoint: env['COSMOS_ENDPOINT'] ?? '', key: env['COSMOS_KEY'] ?? '' }),
  }
}
