import type { Container } from '@azure/cosmos'
import { RefusedLeaseError, type Lease, type LeaseMode } from '../../../lease-store/index.js'
import {
  containerFindings,
  cosmosErrorKind,
  findingText,
  isTransient,
  leaseContainerRole,
  probeContainer,
  type ContainerRole,
  type ProbedContainer,
} from '../../../lease-store/internal.js'
import type { Clock, Random } from '../../platform/index.js'
import { retry } from '../../platform/internal.js'
import { feedProblems, leaseAccessProblems } from './cosmos-access-check.js'
import { javaUnitProblems } from './cosmos-java-check.js'
import {
  isChangeFeed,
  isContainer,
  isLeaseStore,
  openPorts,
  type PortOptions,
  type Ports,
} from '../feed/cosmos-ports.js'

/** The options to check, some of which may be missing, and the clock for retries. */
export interface StartCheckOptions extends Partial<PortOptions> {
  readonly leaseMode: LeaseMode
  /** The dead-letter destination, which is checked if it is a container. */
  readonly deadLetter?: unknown
  readonly clock: Clock
  readonly random: Random
}

/** The ports if a processor can work with the containers, and otherwise the problems. */
export type StartCheck =
  | { readonly isReady: true; readonly ports: Ports }
  | { readonly isReady: false; readonly problems: readonly string[] }

const retrying = { tries: 8, backoff: { minMs: 100, maxMs: 5_000 } }

/**
 * Checks the containers, the permissions of the identity and, if the leases can be read, the existing leases.
 * Writes nothing. Rejects if the store does not answer, even after retries.
 */
export async function checkStart(options: StartCheckOptions): Promise<StartCheck> {
  const { clock, random } = options
  const whole = wholeOf(options)
  const attempt = async (): Promise<StartCheck> => {
    const problems = await containerProblems(options)
    if (whole === null) return { isReady: false, problems }
    if (problems.length === 0) return checkLeases(whole)
    // If the container cannot be listed, nothing is known about its leases.
    const check = await checkLeases(whole).catch(() => null)
    return { isReady: false, problems: [...problems, ...(check?.isReady === false ? check.problems : [])] }
  }
  const isPassing = (error: unknown): boolean => isTransient(cosmosErrorKind(error).kind)
  return retry(attempt, { clock, random, ...retrying, isTransient: isPassing })
}

type WholeOptions = PortOptions & Pick<StartCheckOptions, 'leaseMode'>

/** Returns the options needed to find leases, or null if one of them is missing. */
function wholeOf({ monitoredContainer, leaseContainer, ...others }: StartCheckOptions): WholeOptions | null {
  const { processorName, onCharge, leaseMode } = others
  const isWhole = monitoredContainer !== undefined && leaseContainer !== undefined
  if (!isWhole || processorName === undefined || onCharge === undefined) return null
  return { monitoredContainer, leaseContainer, processorName, onCharge, leaseMode }
}

/** Returns a problem for each lease of another mode. A position has no meaning in another mode. */
export function foreignModeProblems(leases: readonly Lease[], own: LeaseMode): string[] {
  return leases
    .filter(({ mode }) => mode !== own)
    .map(
      ({ leaseToken, mode }) =>
        `lease ${JSON.stringify(leaseToken)} follows the feed in mode ${JSON.stringify(mode)}, but this ` +
        `processor follows it in mode ${JSON.stringify(own)}; a deployment unit keeps its mode, so choose ` +
        'another processorName',
    )
}

async function containerProblems({
  monitoredContainer,
  leaseContainer,
  leaseMode,
  deadLetter,
  onCharge,
}: StartCheckOptions): Promise<string[]> {
  const isMonitored = monitoredContainer !== undefined && !isChangeFeed(monitoredContainer)
  const monitored = isMonitored ? monitoredContainer : null
  const leases = leaseContainer !== undefined && !isLeaseStore(leaseContainer) ? leaseContainer : null
  if (
    monitored !== null &&
    leases !== null &&
    monitored.url === leases.url &&
    isOneAccount(monitored, leases)
  )
    return [
      'leaseContainer is monitoredContainer, so each write of a lease would be delivered as a change: use ' +
        'another container',
    ]
  const problems = await Promise.all([
    monitored === null
      ? []
      : problemsOf('monitoredContainer', monitored, {
          ofAccess: () => feedProblems(monitored, { leaseMode, onCharge }),
        }),
    leases === null
      ? []
      : problemsOf('leaseContainer', leases, {
          role: leaseContainerRole,
          ofAccess: () => leaseAccessProblems(leases),
        }),
    isContainer(deadLetter) ? deadLetterProblems(deadLetter, monitored) : [],
  ])
  return problems.flat()
}

async function deadLetterProblems(container: Container, monitored: Container | null): Promise<string[]> {
  const option = 'failurePolicy.deadLetter'
  if (monitored !== null && container.url === monitored.url && isOneAccount(container, monitored))
    return [
      `${option} is monitoredContainer, so each dead letter would be delivered as a change: use another ` +
        'container',
    ]
  return problemsOf(option, container, {})
}

/** Compares the clients, because two accounts may have containers with the same names. */
function isOneAccount(left: Container, right: Container): boolean {
  return left.database.client === right.database.client
}

/** The checks of one container. */
interface Look {
  readonly role?: ContainerRole
  /**
   * Finds problems with access. Called only if the settings are correct, so that no fault is reported twice.
   */
  readonly ofAccess?: () => Promise<string[]>
}

async function problemsOf(option: string, container: Container, { role, ofAccess }: Look): Promise<string[]> {
  const name = `${option} ${JSON.stringify(container.id)}`
  const named = (problems: readonly string[]): string[] => problems.map((problem) => `${name} ${problem}`)
  const probed = await probedOf(container)
  if (typeof probed === 'string') return named([probed])
  const findings = role === undefined ? [] : containerFindings(probed, role)
  const problems = findings.filter(({ severity }) => severity !== 'hint')
  return problems.length > 0 ? problems.map(findingText) : named((await ofAccess?.()) ?? [])
}

/** Returns the settings of a container, or the problem that prevents reading them. */
async function probedOf(container: Container): Promise<ProbedContainer | string> {
  try {
    return await probeContainer(container)
  } catch (error) {
    const problem = accessProblem(error, container.database.id)
    if (problem === null) throw error
    return problem
  }
}

/** Returns the problem that a failure shows, or null if the failure is not about the container. */
function accessProblem(error: unknown, databaseId: string): string | null {
  const { kind } = cosmosErrorKind(error)
  if (kind === 'notFound') return `does not exist in database ${JSON.stringify(databaseId)}; create it first`
  if (kind === 'unauthorized') return 'may not be read: the key or token of its client is not valid (401)'
  if (kind === 'forbidden')
    return 'may not be read (403); give this identity the role "Cosmos DB Built-in Data Contributor"'
  return null
}

async function checkLeases(options: WholeOptions): Promise<StartCheck> {
  const javas = await foreignUnitProblems(options)
  if (javas.length > 0) return { isReady: false, problems: javas }
  const ports = await openPorts(options)
  try {
    const { leases } = await ports.leaseStore.list()
    const problems = foreignModeProblems(leases, options.leaseMode)
    return problems.length > 0 ? { isReady: false, problems } : { isReady: true, ports }
  } catch (error) {
    if (error instanceof RefusedLeaseError) return { isReady: false, problems: [error.message] }
    throw error
  }
}

/**
 * Checks for leases of Java hosts. Only a Cosmos DB container can be searched for them, because a lease store
 * lists only leases with its own prefix.
 */
async function foreignUnitProblems(options: WholeOptions): Promise<string[]> {
  const { monitoredContainer, leaseContainer } = options
  if (isChangeFeed(monitoredContainer) || isLeaseStore(leaseContainer)) return []
  return javaUnitProblems({ ...options, monitoredContainer, leaseContainer })
}
