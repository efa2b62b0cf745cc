import { z } from 'zod'
import { whoAmI } from '../../platform/internal.js'
import { pageRoles } from '../door/people.js'
import { route } from './route.js'

/** The page itself. */
export const about = route({
  method: 'GET',
  path: '/api/about',
  summary: 'The store, the person whose name is stored with decisions, and the workflows to submit.',
  asked: z.strictObject({}),
  answer: z.strictObject({
    store: z.string(),
    storeArguments: z.array(z.string()).meta({ description: 'The options of commands on this store.' }),
    by: z.string(),
    byArguments: z.array(z.string()).meta({
      description: 'The options with which commands store this name. Empty if they do so without options.',
    }),
    module: z.string().nullable().meta({ description: 'The path of the module with the workflows.' }),
    roles: z.array(z.enum(pageRoles)),
    may: z.array(z.string()).meta({
      description: 'The actions that the person may use, and the reads that only some roles may use.',
    }),
    fleetOptions: z.array(z.string()).nullable().meta({
      description: 'The options of commands on the instances that the page scales. Null if it scales none.',
    }),
    workflows: z.array(z.strictObject({ name: z.string(), findsJobId: z.boolean() })),
    now: z.string(),
  }),
  handle: async ({ name, storeArguments, by, roles, may, fleet, workflows, module, clock }) => ({
    store: name,
    storeArguments,
    by,
    byArguments: by === whoAmI() ? [] : ['--by', by],
    module,
    roles,
    may,
    fleetOptions: fleet?.options ?? null,
    workflows: workflows.map(({ name: workflow, submission }) => ({
      name: workflow,
      findsJobId: submission.jobId !== undefined,
    })),
    now: new Date(clock.now()).toISOString(),
  }),
})
