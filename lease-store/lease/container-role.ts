import type { LeasePartitioning } from './lease-document.js'

/** The settings that decide whether, and how well, a container serves its purpose. */
export interface ContainerSettings {
  readonly partitionKeyPaths: readonly string[]
  /**
   * The default time to live in seconds. With -1, only documents with their own time to live expire. Null if
   * time to live is off.
   */
  readonly defaultTtl: number | null
  /** Whether every field of a document is indexed, which is the default of a new container. */
  readonly isFullyIndexed: boolean
}

/** The purpose of a container, the settings that it requires, and the damage that other settings do. */
export interface ContainerRole<Name extends string = string> {
  readonly name: Name
  /** The permitted paths of the partition key. A new container gets the first path. */
  readonly partitionKeys: readonly [string, ...string[]]
  /** The paths that are queried. Only these paths are indexed, because each index makes writes cost more. */
  readonly indexedPaths: readonly string[]
  /** The damage of each wrong setting, as the end of a sentence that begins with that setting. */
  readonly breaks: Readonly<Record<'ifOtherKey' | 'ifDeleting' | 'ifTtlOff' | 'ifFullyIndexed', string>>
}

/** A requirement that a container does not meet. */
export interface ContainerFinding<Name extends string = string> {
  readonly rule: `${Name}Container${Requirement['about']}`
  readonly severity: Requirement['severity']
  /** A sentence that names the container, its wrong setting, and the damage that this setting does. */
  readonly observation: string
  readonly advice: string
}

interface Requirement {
  readonly about: 'Key' | 'Ttl' | 'Indexing'
  /** `fatal`: work is refused or lost. `problem`: a document is never removed. `hint`: writes cost more. */
  readonly severity: 'fatal' | 'problem' | 'hint'
  readonly isMet: (settings: ContainerSettings, role: ContainerRole) => boolean
  readonly found: (settings: ContainerSettings) => string
  readonly breaks: keyof ContainerRole['breaks']
  readonly advice: (role: ContainerRole) => string
}

const ttl = {
  about: 'Ttl',
  advice: () => 'set its default time to live to "on (no default)", which is -1',
} as const

/** The requirements for containers of every role. */
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
      return `create and name another container, partitioned by ${paths} and with default time to live -1`
    },
  },
  {
    ...ttl,
    severity: 'fatal',
    isMet: ({ defaultTtl }) => defaultTtl === null || defaultTtl < 0,
    found: ({ defaultTtl }) => `deletes documents that were not written for ${defaultTtl} s`,
    breaks: 'ifDeleting',
  },
  {
    ...ttl,
    severity: 'problem',
    isMet: ({ defaultTtl }) => defaultTtl !== null,
    found: () => 'has time to live turned off',
    breaks: 'ifTtlOff',
  },
  {
    about: 'Indexing',
    severity: 'hint',
    isMet: ({ isFullyIndexed }) => !isFullyIndexed,
    found: () => 'indexes every field',
    breaks: 'ifFullyIndexed',
    advice: () => 'exclude path /* from its indexing policy, and include the queried paths',
  },
]

/** The role of a container of leases. Some .NET hosts partition their lease container by `/partitionKey`. */
export const leaseContainerRole: ContainerRole<'lease'> = {
  name: 'lease',
  partitionKeys: ['/id', '/partitionKey'],
  indexedPaths: ['/id/?'],
  breaks: {
    ifOtherKey: 'so leases cannot be found by their id',
    ifDeleting: 'including leases and their positions',
    ifTtlOff: 'so the lock of a .NET host that dies while it creates leases stays forever',
    ifFullyIndexed: 'so each renewal costs 50 % more',
  },
}

/** Returns a finding for each requirement of a role that the container does not meet. */
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

export function findingText({ observation, advice }: ContainerFinding): string {
  return `${observation}: ${advice}`
}

/**
 * Returns how a container of leases is partitioned.
 *
 * @throws Error with advice, if leases cannot be stored in the container
 */
export function leasePartitioningOf(id: string, partitionKeyPaths: readonly string[]): LeasePartitioning {
  const settings = { partitionKeyPaths, defaultTtl: -1, isFullyIndexed: false }
  const [finding] = containerFindings({ id, settings }, leaseContainerRole)
  if (finding !== undefined) throw new Error(findingText(finding))
  return partitionKeyPaths[0] as LeasePartitioning
}
