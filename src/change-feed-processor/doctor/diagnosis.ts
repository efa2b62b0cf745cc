import { containerFindings, leaseContainerRole } from '../../../lease-store/internal.js'
import type { Duration } from '../../platform/index.js'
import { counted } from '../../platform/internal.js'
import { checkedOptions } from '../../platform/options.js'
import { ProcessorOptionsError } from '../feed/errors.js'
import { leaseExpiration } from '../options/timing.js'
import type { Inspection, Obstacle } from './cosmos-inspection.js'
import { coverageFindings } from './coverage-findings.js'
import { offset, seconds, toleratedSkewMs } from './durations.js'
import { hint, problem, type Finding, type UnitFinding } from './finding.js'
import { ownershipFindings } from './ownership-findings.js'
import type { UnitDocuments } from './units.js'

/** The parameters of {@link diagnose}. */
export interface DiagnosisOptions {
  /**
   * The expiration interval of the instances. A lease that was not renewed for this long may be taken over.
   * Default 60 s.
   */
  readonly leaseExpirationInterval?: Duration
}

/** The time for which an instance locks the creation of leases. All instances use the same time. */
const lockMs = 30_000

/**
 * Returns the problems and hints that the inspection alone shows, with advice for each. Problems come
 * first. Throws {@link ProcessorOptionsError} if an option is invalid or unknown.
 */
export function diagnose(inspection: Inspection, options: DiagnosisOptions = {}): readonly Finding[] {
  const { leaseExpirationInterval: expirationMs } = checkedOptions(
    { leaseExpirationInterval: leaseExpiration },
    options,
    (problems) => new ProcessorOptionsError(problems),
  )
  const found: readonly Finding[] = [
    ...generalFindings(inspection).map((finding) => ({ ...finding, processorName: null })),
    ...inspection.units.flatMap((unit) =>
      unitFindings(unit, inspection, expirationMs).map((finding) => ({
        ...finding,
        processorName: unit.processorName,
      })),
    ),
  ]
  const rank = { problem: 0, hint: 1 }
  return [...found].sort((left, right) => rank[left.severity] - rank[right.severity])
}

function generalFindings(inspection: Inspection): UnitFinding[] {
  const { leaseContainerSettings, leaseContainer, storeTimeMs, ownTimeMs } = inspection
  const found = inspection.obstacles.map(obstacleFinding)
  if (leaseContainerSettings !== null) {
    const probed = { id: leaseContainer, settings: leaseContainerSettings }
    for (const { rule, severity, observation, advice } of containerFindings(probed, leaseContainerRole))
      found.push((severity === 'hint' ? hint : problem)(rule, observation, advice))
  }
  if (storeTimeMs !== null && Math.abs(ownTimeMs - storeTimeMs) > toleratedSkewMs)
    found.push(
      problem(
        'clockSkew',
        `this host's clock is ${offset(ownTimeMs - storeTimeMs)} the store's`,
        'synchronise that clock (NTP): .NET hosts compare their clock with the times that other hosts wrote',
      ),
    )
  return found
}

function obstacleFinding({ kind, container, action }: Obstacle): UnitFinding {
  const name = JSON.stringify(container)
  if (kind === 'missing')
    return problem(
      'containerMissing',
      `container ${name} does not exist`,
      'check --database and the name, or create it: "stepward provision" creates the containers that jobs need',
    )
  return problem(
    'actionForbidden',
    `the identity is not permitted to do ${action} on container ${name}`,
    'give it the Cosmos DB Built-in Data Contributor role, or a role with that action, and wait a few minutes',
  )
}

function unitFindings(unit: UnitDocuments, inspection: Inspection, expirationMs: number): UnitFinding[] {
  if (unit.isJavas) return [...spellingFindings(unit, inspection), javaFinding(unit)]
  return [
    ...spellingFindings(unit, inspection),
    ...foreignFindings(unit),
    ...creationFindings(unit, inspection.storeTimeMs),
    ...coverageFindings(unit, inspection, expirationMs),
    ...ownershipFindings(unit, inspection.storeTimeMs, expirationMs),
  ]
}

function spellingFindings({ processorName, prefix }: UnitDocuments, inspection: Inspection): UnitFinding[] {
  if (processorName !== null) return []
  return [
    hint(
      'accountSpelling',
      `documents with the prefix ${JSON.stringify(prefix)} name the account differently from ` +
        inspection.accountHost,
      'instances share leases only if they use the same spelling of the endpoint: if these are one ' +
        'deployment unit, use one spelling',
    ),
  ]
}

const foreignAdvice = {
  malformed:
    'delete the document if no instance needs it; an instance creates missing documents when it starts',
  unknownVersion: 'update this package, or choose another processorName',
  unknownMode: 'update this package, or choose another processorName',
  javaLease: 'choose another processorName: Java hosts store other continuation tokens under the same names',
  missingFeedRange:
    'the range of the lease was split before an instance read the lease again: start a .NET host that ' +
    'still knows the range, or delete the lease and start from a point in time',
} as const

/**
 * Reports leases of Java hosts, which are no problem if no instance of this library uses their processor
 * name.
 */
function javaFinding({ prefix, refused }: UnitDocuments): UnitFinding {
  const what = refused.length === 0 ? 'a marker' : counted(refused.length, 'lease')
  return hint(
    'foreignLease',
    `hosts of the Java SDK keep ${what} under ${JSON.stringify(prefix)}`,
    'nothing to do: look at these documents with the Java SDK, and give processors of this library another ' +
      'processorName',
  )
}

function foreignFindings({ refused, leases }: UnitDocuments): UnitFinding[] {
  const found = refused.map(({ rule, reason }) => problem('foreignLease', reason, foreignAdvice[rule]))
  const byToken = new Map<string, number>()
  for (const { leaseToken } of leases) byToken.set(leaseToken, (byToken.get(leaseToken) ?? 0) + 1)
  for (const [leaseToken, count] of byToken)
    if (count > 1)
      found.push(
        problem(
          'duplicateLease',
          `lease ${JSON.stringify(leaseToken)} exists ${count} times, under several partition keys`,
          'stop all instances, and delete all copies but the one with the earliest ContinuationToken',
        ),
      )
  return found
}

function creationFindings(unit: UnitDocuments, storeTimeMs: number | null): UnitFinding[] {
  const { leases, refused, isInitialized, lockedAtMs, prefix } = unit
  const found: UnitFinding[] = []
  const count = leases.length + refused.length
  if (!isInitialized && count > 0)
    found.push(
      problem(
        'markerMissing',
        `${counted(count, 'lease exists', 'leases exist')}, but no document ` +
          `${JSON.stringify(`${prefix}.info`)}: the creation of the leases was not finished`,
        'start an instance: it creates the missing leases and the document',
      ),
    )
  if (isInitialized && count === 0)
    found.push(
      problem(
        'nothingButMarker',
        `document ${JSON.stringify(`${prefix}.info`)} says that the leases exist, but there are none: ` +
          '.NET hosts would never read the feed',
        `start an instance of this library, or delete document ${JSON.stringify(`${prefix}.info`)}`,
      ),
    )
  if (lockedAtMs !== null && storeTimeMs !== null && storeTimeMs - lockedAtMs > 2 * lockMs)
    found.push(
      problem(
        'staleLock',
        `document ${JSON.stringify(`${prefix}.lock`)} has been there for ` +
          `${seconds(storeTimeMs - lockedAtMs)}: .NET hosts wait for it`,
        'delete the document, and turn time to live on in the lease container',
      ),
    )
  if (new Set(leases.map(({ mode }) => mode)).size > 1)
    found.push(
      problem(
        'mixedModes',
        'some leases follow the feed of latest versions, others the feed of all versions and deletes',
        'give each mode a processorName of its own',
      ),
    )
  return found
}
