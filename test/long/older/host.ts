/**
 * A host of the older or of the present build, as its own process. It submits the jobs that its parent names.
 */
import process from 'node:process'
import { CosmosClient } from '@azure/cosmos'
import { agentsOf, shopOf, workflowOf, type Build, type Call } from './kinds.js'

/** What a host is told when it starts. */
export interface HostSetup {
  /** The URL of the main module of the build. */
  readonly build: string
  readonly endpoint: string
  readonly key: string
  readonly name: string
}

export type HostMessage =
  { readonly started: true } | { readonly call: Call } | { readonly submitted: string }

/** A job that the host submits. */
export interface HostCommand {
  readonly kind: string
  readonly jobId: string
}

const setup = JSON.parse(process.env['OLDER_SETUP'] ?? '{}') as HostSetup
const build = (await import(setup.build)) as Build
const tell = (message: HostMessage): void => void process.send?.(message)
const shop = shopOf(build, (call) => {
  tell({ call })
})
const host = await build.startHost({
  client: new CosmosClient({
    endpoint: setup.endpoint,
    key: setup.key,
    connectionPolicy: { enableBackgroundEndpointRefreshing: false },
  }),
  database: 'older',
  container: 'state',
  leaseContainer: 'leases',
  agents: agentsOf(shop),
  instanceName: setup.name,
  telemetry: { emit: () => undefined },
  timing: {
    leaseAcquireInterval: 700,
    leaseRenewInterval: 900,
    leaseExpirationInterval: 3_000,
    pollInterval: { min: 20, max: 250 },
    stopTimeout: 2_000,
  },
  sweepInterval: 500,
  deadlineGrace: 200,
})
process.on('message', ({ kind, jobId }: HostCommand) => {
  host.client.submit(workflowOf(build, shop, kind), { orderId: jobId }, { jobId }).then(
    () => {
      tell({ submitted: jobId })
    },
    (error: unknown) => process.stderr.write(`${setup.name}: ${jobId}: ${String(error)}\n`),
  )
})
process.once('SIGTERM', () => {
  host.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
tell({ started: true })
