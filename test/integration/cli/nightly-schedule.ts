import { defineSchedule, defineWorkflow } from 'stepward'

/** A module as users write it, for the tests of the commands. */
export const nightly = defineSchedule('nightly', {
  cron: '30 2 * * *',
  timeZone: 'Europe/Berlin',
  workflow: defineWorkflow('shopping', (job) => {
    job.waitFor('data')
  }),
  catchUp: '90m',
})
