import { defineAgent, defineWorkflow } from 'stepward'
import { ask } from '../remote-service/ask.js'

/** A customer's order: a site, and the database behind it. */
export interface SiteOrder {
  readonly site: string
}

/** The agent that calls the remote service for databases. */
export const databases = defineAgent('databases', {
  activate: (input: { site: string }, context) => ask<{ id: string }>('database', input, context),
})

export const websites = defineAgent('websites', {
  activate: (input: { site: string; database: string }, context) =>
    ask<{ id: string }>('website', input, context),
})

/**
 * The settings of each resource's step. The time to become active is short, so that the sample shows a
 * recovery.
 */
const resource = {
  initialState: 'Disabled',
  targetState: 'Active',
  completeWithin: '2s',
  retry: { tries: 20 },
} as const

/** Changes two resources from Disabled to Active. The second step uses the output of the first. */
export const provisionSite = defineWorkflow<SiteOrder>(
  'provision-site',
  (job) => {
    const { site } = job.input
    const database = job.step('database', databases.activate, { site }, resource)
    job.step('website', websites.activate, { site, database: database.output.id }, resource)
  },
  { jobId: (order) => order.site },
)
