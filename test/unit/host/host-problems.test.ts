import { expect, it } from 'vitest'
import { startHost, type HostOptions } from '../../../src/host/index.js'

it.each<[string, HostOptions, RegExp]>([
  [
    'roles ["all"]',
    { roles: ['all'] as never },
    /role "all" is none of scheduler, agents, supervisor, notifier; all four run where roles is left out/,
  ],
  ['no roles', { roles: [] }, /roles is empty: name at least one of scheduler/],
  [
    'agents that are none',
    { agents: [{}] as never },
    /agents must be a list of agents, each made by defineAgent/,
  ],
  ['agents that are no list', { agents: {} as never }, /agents must be a list of agents/],
  ['no agents for their role', { roles: ['agents'] }, /the role agents needs at least one agent/],
])('a host with %s does not start, and says why', async (_what, options, problem) => {
  await expect(startHost(options)).rejects.toMatchObject({
    name: 'ConfigurationInvalid',
    message: expect.stringMatching(problem) as string,
  })
})
