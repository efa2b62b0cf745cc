import { expect, it } from 'vitest'
import { startHost, type HostOptions } from '../../../src/host/index.js'

it.each<[string, HostOptions, RegExp]>([
  [
    'roles ["all"]',
    { roles: ['all'] as never },
    /roles is \["all"\]; it must be a list of some of scheduler, agents, supervisor, notifier; all four run/,
  ],
  ['no roles', { roles: [] }, /roles is \[\]; it must be a list of some of scheduler/],
  [
    'agents that are none',
    { agents: [{}] as never },
    /agents is \[an object\]; it must be a list of agents, each made by defineAgent/,
  ],
  ['agents that are no list', { agents: {} as never }, /agents is an object; it must be a list of agents/],
  [
    'receivers of alerts that are none',
    { alertWebhook: 'ftp://a/secret', remindAfter: 999, sendTimeout: Number.NaN },
    /alertWebhook is of another form .*remindAfter is 999; .*from 1000 ms.*sendTimeout is NaN; /,
  ],
  [
    'an option of an earlier version',
    { stopBudgetMs: 5 } as object,
    /stopBudgetMs is not an option: did you mean stopBudget\?/,
  ],
  ['no agents for their role', { roles: ['agents'] }, /the role agents needs at least one agent/],
])('a host with %s does not start, and says why', async (_what, options, problem) => {
  await expect(startHost(options)).rejects.toMatchObject({
    name: 'ConfigurationInvalid',
    message: expect.stringMatching(problem) as string,
  })
})
