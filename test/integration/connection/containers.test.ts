import { describe, expect, it } from 'vitest'
import {
  containerFindings,
  findingText,
  leaseContainerRole,
  leasePartitioningOf,
  type ContainerSettings,
} from '../../../lease-store/internal.js'
import { openConnection, type Connection } from '../../../src/connection/connection.js'
import { containerRoles, explained, openContainers } from '../../../src/connection/containers.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'

const onWithoutDefault = 'set its default time to live to "on (no default)", which is -1'
const exclude = 'exclude path /* from its indexing policy, and include the queried paths'
const another = (paths: string): string =>
  `create and name another container, partitioned by ${paths} and with default time to live -1`

describe('a container’s settings', () => {
  const roles = { state: containerRoles.state, leases: containerRoles.leases, shared: leaseContainerRole }

  it.each<[keyof typeof roles, Partial<ContainerSettings>, string | null]>([
    ['state', {}, null],
    [
      'state',
      { partitionKeyPaths: ['/id'] },
      'fatal stateContainerKey: state container "c" is partitioned by /id, so a job and its steps cannot be ' +
        `written together: ${another('/pk')}`,
    ],
    [
      'state',
      { defaultTtl: 60 },
      'fatal stateContainerTtl: state container "c" deletes documents that were not written for 60 s, ' +
        `including jobs that have not ended: ${onWithoutDefault}`,
    ],
    [
      'state',
      { defaultTtl: null },
      'problem stateContainerTtl: state container "c" has time to live turned off, ' +
        `so jobs that have ended are kept forever: ${onWithoutDefault}`,
    ],
    [
      'state',
      { isFullyIndexed: true },
      `hint stateContainerIndexing: state container "c" indexes every field, so each write costs more: ${exclude}`,
    ],
    ['shared', {}, null],
    ['shared', { partitionKeyPaths: ['/partitionKey'] }, null],
    [
      'shared',
      { partitionKeyPaths: ['/id', '/partitionKey'] },
      'fatal leaseContainerKey: lease container "c" is partitioned by /id, /partitionKey, ' +
        `so leases cannot be found by their id: ${another('/id or /partitionKey')}`,
    ],
    [
      'shared',
      { partitionKeyPaths: [] },
      'fatal leaseContainerKey: lease container "c" is partitioned by nothing, ' +
        `so leases cannot be found by their id: ${another('/id or /partitionKey')}`,
    ],
    [
      'shared',
      { defaultTtl: 1 },
      'fatal leaseContainerTtl: lease container "c" deletes documents that were not written for 1 s, ' +
        `including leases and their positions: ${onWithoutDefault}`,
    ],
    [
      'shared',
      { defaultTtl: null },
      'problem leaseContainerTtl: lease container "c" has time to live turned off, so the lock of a .NET host that ' +
        `dies while it creates leases stays forever: ${onWithoutDefault}`,
    ],
    [
      'shared',
      { isFullyIndexed: true },
      'hint leaseContainerIndexing: lease container "c" indexes every field, so each renewal costs 50 % ' +
        `more: ${exclude}`,
    ],
    ['leases', {}, null],
    [
      'leases',
      { partitionKeyPaths: ['/partitionKey'] },
      'fatal leaseContainerKey: lease container "c" is partitioned by /partitionKey, ' +
        `so leases cannot be found by their id: ${another('/id')}`,
    ],
  ])('of the role %s with %j have the finding: %s', (name, changed, expected) => {
    const role = roles[name]
    const created = { partitionKeyPaths: [role.partitionKeys[0]], defaultTtl: -1, isFullyIndexed: false }
    const found = containerFindings({ id: 'c', settings: { ...created, ...changed } }, role)
    const texts = found.map((finding) => `${finding.severity} ${finding.rule}: ${findingText(finding)}`)
    expect(texts).toEqual(expected === null ? [] : [expected])
  })

  it('are rejected for leases if another partition key is used', () => {
    expect(leasePartitioningOf('c', ['/partitionKey'])).toBe('/partitionKey')
    expect(() => leasePartitioningOf('c', ['/pk'])).toThrow(
      'lease container "c" is partitioned by /pk, so leases cannot be found by their id: create and name another',
    )
  })
})

describe('a container that is opened', () => {
  it('meets every requirement if it is new', async () => {
    const cosmos = createInProcessCosmos()
    const connection = await openConnection({ client: cosmos.client() })
    const { state, leases, advice } = await openContainers(connection)
    expect({ state: state.id, leases: leases.id, advice }).toEqual({
      state: 'state',
      leases: 'leases',
      advice: [],
    })
  })

  it('is accepted with advice if nothing in it expires (F-X7)', async () => {
    const cosmos = createInProcessCosmos()
    const client = cosmos.client()
    const { database } = await client.databases.create({ id: 'stepward' })
    await database.containers.create({ id: 'state', partitionKey: '/pk' })
    await database.containers.create({ id: 'leases', partitionKey: '/id' })
    const names: Connection = { client, provision: false }
    expect((await openContainers(await openConnection(names))).advice).toEqual([
      expect.stringContaining('state container "state" has time to live turned off'),
      expect.stringContaining('lease container "leases" has time to live turned off'),
    ])
  })
})

describe('a store that answers, but cannot serve requests', () => {
  it('is reported with what it says, because its address is right', async () => {
    const message =
      'The data directory could not be written: no space is left. Free disk space, and start again.'
    const refused = Object.assign(new Error(message), { code: 503 })
    const silent = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const connection = await openConnection({ client: createInProcessCosmos().client() })
    expect(explained(connection, refused).message).toBe(`the given client cannot serve requests: ${message}`)
    expect(explained(connection, silent).message).toMatch(
      /^no answer from the given client: check the address/,
    )
  })
})
