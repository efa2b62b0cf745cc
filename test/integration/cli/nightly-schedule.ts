import { defineSchedule, defineWorkflow } from 'stepward'

/** A module as users write it, for the tests of the commands. */
export const shopping = defineWorkflow('shopping', (job) => {
  job.waitFor('data')
})

export const nightly = defineSchedule('nightly', {
  cron: '30 2 * * *',
  timeZone: 'Europe/Berlin',
  workflow: shopping,
  catchUp: '90m',
})
