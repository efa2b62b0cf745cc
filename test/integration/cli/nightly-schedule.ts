import { defineSchedule } from 'stepward'
import { aWorkflow } from '../../support/a-job.js'

/** A module as users write it, for the tests of the commands. */
export const nightly = defineSchedule('nightly', {
  cron: '30 2 * * *',
  timeZone: 'Europe/Berlin',
  workflow: aWorkflow(),
  catchUp: '90m',
})
