import { connectWithPorts } from '../../../connection/internal.js'
import { fleetStatus, socketPath, stateDirectoryOf, type FleetStore } from '../../../fleet/index.js'
import { notRecorded } from '../../../operations/index.js'
import { systemClock } from '../../../platform/index.js'
import { withoutUndefined } from '../../../platform/internal.js'
import { recordFleetDecision, refuseFleetTerms, type FleetDecisionTerms } from '../../../sas/internal.js'
import type { ScaleTargetOptions } from '../../input/scale-target.js'
import { settingsOf, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { whoAmI } from '../../input/who-am-i.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'

/** The options of a command that changes instances, and records why. */
export interface DecisionOptions extends StoreOptions, ScaleTargetOptions {
  readonly by?: string
  readonly why?: string
  readonly dryRun?: boolean
}

/** Who decides, and why. */
type Said = Pick<FleetDecisionTerms, 'by' | 'why'>

const noStore =
  'no store is named: pass --data DIR or --endpoint URL, or set COSMOS_ENDPOINT or COSMOS_CONNECTION_STRING'

/**
 * Returns who decides and why, before anything is changed. A dry run records nothing, so it needs no reason.
 *
 * @throws CliError if the reason is missing, or if two stores are named; CommandInvalid if a text cannot be recorded
 */
export async function saidIn(
  command: FleetDecisionTerms['command'],
  options: DecisionOptions,
): Promise<Said> {
  const { by = whoAmI(), dryRun = false, why = dryRun ? 'dry run' : undefined } = options
  if (why === undefined) {
    throw new CliError('pass --why TEXT, the reason: it is stored with the decision', exitCodes.usage)
  }
  refuseFleetTerms(command, { by, why })
  if (isNamed(options)) await settingsOf(options)
  return { by, why }
}

/**
 * Records a decision after the instances were changed. Returns a sentence that says why the audit may lack it, or null.
 * Never rejects, and takes only seconds, because instances are also scaled while the store is away.
 */
export async function recordedDecision(
  terms: FleetDecisionTerms,
  options: DecisionOptions,
  terminal: Terminal,
): Promise<string | null> {
  const why = await notRecorded(systemClock, async () => {
    const place = await placeOf(options)
    if (place === null) throw new CliError(noStore, exitCodes.usage)
    await withExistingStore({ options: place, terminal }, async (settings) => {
      const { ports, clock, close } = await connectWithPorts(settings)
      try {
        await recordFleetDecision({ store: ports.state, clock }, terms)
      } finally {
        await close()
      }
    })
  })
  return why === null ? null : `the audit may lack this decision: ${why}`
}

function isNamed({ data, endpoint, connectionString }: StoreOptions): boolean {
  return (data ?? endpoint ?? connectionString) !== undefined
}

/**
 * Returns the options of the store in which the decision is recorded. The first that is known counts: the store that the
 * user named, the embedded store of the fleet, the configured account, the account of the fleet. Returns null if none is.
 */
async function placeOf(options: DecisionOptions): Promise<StoreOptions | null> {
  if (isNamed(options)) return options
  const own = options.appService === undefined ? await storeOfFleet(options) : {}
  const ofFleet = { ...own, ...withoutUndefined(options) }
  if (own.data !== undefined) return ofFleet
  const { endpoint, connectionString } = await settingsOf(options)
  if ((endpoint ?? connectionString) !== undefined) return options
  return own.endpoint === undefined ? null : ofFleet
}

async function storeOfFleet({ state }: DecisionOptions): Promise<FleetStore> {
  const path = socketPath(await stateDirectoryOf(state, process.cwd()))
  const { store = {} } = await fleetStatus(path, { command: 'counts' })
  return store
}
