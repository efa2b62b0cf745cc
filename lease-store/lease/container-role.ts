import type { LeasePartitioning } from './lease-document.js'

/** The settings of a container that decide whether, and how well, it serves its purpose. */
export interface ContainerSettings {
  readonly partitionKeyPaths: readonly string[]
  /** Seconds; -1 for "only where a document states one", null for off. */
  readonly defaultTtl: number | null
  /** Whether every field of a document is indexed, as it is by default. */
  readonly isFullyIndexed: boolean
}

/** The purpose of a container, what that requires, and what breaks without it. */
export interface ContainerRole<Name extends string = string> {
  readonly name: Name
  /** The paths by which it may be partitioned. It is created with the first. */
  readonly partitionKeys: readonly [string, ...string[]]
  /** The paths that are queried. Only these are indexed, because each one adds to the cost of a write. */
  readonly indexedPaths: readonly string[]
  /** What breaks, in words that continue those about the setting found. */
  readonly breaks: Readonly<Record<'ifOtherKey' | 'ifDeleting' | 'ifTtlOff' | 'ifFullyIndexed', string>>
}

/** A requirement that a container does not meet. */
export interface ContainerFinding<Name extends string = string> {
  readonly rule: `${Name}Container${Requirement['about']}`
  readonly severity: Requirement['severity']
  /** The container, its setting, and what that breaks. */
  readonly observation: string
  readonly advice: string
}

interface Requirement {
  readonly about: 'Key' | 'Ttl' | 'Indexing'
  /** `fatal`: work is refused or lost. `problem`: something is never removed. `notice`: it costs more. */
  readonly severity: 'fatal' | 'problem' | 'notice'
  readonly isMet: (settings: ContainerSettings, role: ContainerRole) => boolean
  readonly found: (settings: ContainerSettings) => string
  readonly breaks: keyof ContainerRole['breaks']
  readonly advice: (role: ContainerRole) => string
}

const ttl = {
  about: 'Ttl',
  advice: () => 'set its default time to live to "on (no default)", which is -1',
} as const

/** Everything that is required of containers, whatever their role. */
const requirements: readonly Requirement[] = [
  {
    about: 'Key',
    severity: 'fatal',
    isMet: ({ partitionKeyPaths: [path = '', ...others] }, { partitionKeys }) =>
      others.length === 0 && partitionKeys.includes(path),
    found: ({ partitionKeyPaths }) => `is partitioned by ${partitionKeyPaths.join(', ') || 'nothing'}`,
    breaks: 'ifOtherKey',
    advice: ({ partitionKeys }) => {
      const paths = partitionKeys.join(' or ')
      return `create one that is partitioned by ${paths}, with default time to live -1, and name that`
    },
  },
  {
    ...ttl,
    severity: 'fatal',
    isMet: ({ defaultTtl }) => defaultTtl === null || defaultTtl < 0,
    found: ({ defaultTtl }) => `deletes what was not written for ${defaultTtl} s`,
    breaks: 'ifDeleting',
  },
  {
    ...ttl,
    severity: 'problem',
    isMet: ({ defaultTtl }) => defaultTtl !== null,
    found: () => 'has time to live off',
    breaks: 'ifTtlOff',
  },
  {
    about: 'Indexing',
    severity: 'notice',
    isMet: ({ isFullyIndexed }) => !isFullyIndexed,
    found: () => 'indexes every field',
    breaks: 'ifFullyIndexed',
    advice: () => 'exclude path /* from its indexing policy, and include those that are queried',
  },
]

/** The role of a container of leases. Some .NET hosts partition theirs by `/partitionKey`. */
export const leaseContainerRole: ContainerRole<'lease'> = {
  name: 'lease',
  partitionKeys: ['/id', '/partitionKey'],
  indexedPaths: ['/id/?'],
  breaks: {
    ifOtherKey: 'so leases are not found by their id',
    ifDeleting: 'leases and their positions included',
    ifTtlOff: 'so the lock of a .NET host that dies while it creates leases stays forever',
    ifFullyIndexed: 'so each renewal costs half as much again',
  },
}

/** Returns the requirements of a role that a container with these settings does not meet. */
export function containerFindings<Name extends string>(
  { id, settings }: { readonly id: string; readonly settings: ContainerSettings },
  role: ContainerRole<Name>,
): readonly ContainerFinding<Name>[] {
  return requirements
    .filter(({ isMet }) => !isMet(settings, role))
    .map(({ about, severity, found, breaks, advice }) => ({
      rule: `${role.name}Container${about}`,
      severity,
      observation: `${role.name} container ${JSON.stringify(id)} ${found(settings)}, ${role.breaks[breaks]}`,
      advice: advice(role),
    }))
}

/** Returns a finding in one sentence. */
export function findingText({ observation, advice }: ContainerFinding): string {
  return `${observation}: ${advice}`
}

/**
 * Returns how a container of leases is partitioned.
 *
 * @throws Error when leases cannot be stored in it, saying what to do
 */
export function leasePartitioningOf(id: string, partitionKeyPaths: readonly string[]): LeasePartitioning {
  const settings = { partitionKeyPaths, defaultTtl: -1, isFullyIndexed: false }
  const [finding] = containerFindings({ id, settings }, leaseContainerRole)
  if (finding !== undefined) throw new Error(findingText(finding))
  return partitionKeyPaths[0] as LeasePartitioning
}
