import { expect, it } from 'vitest'
import { CliError, exitCodeOf } from '../../../../src/cli/output/cli-error.js'
import { ConfigurationInvalid } from '../../../../src/connection/index.js'
import {
  JobConflict,
  JobFailed,
  JobNotFound,
  StoreRefused,
  StoreUnavailable,
  SubmissionInvalid,
} from '../../../../src/sas/index.js'
import { aJob } from '../../../support/a-job.js'

it.each([
  [new CliError('said so', 4), 4],
  [new ConfigurationInvalid(['x']), 2],
  [new SubmissionInvalid('x'), 2],
  [new JobNotFound('x'), 3],
  [new JobConflict('x', 'x'), 4],
  [new StoreUnavailable('x', { cause: null }), 5],
  [new StoreRefused('x'), 5],
  [new JobFailed(aJob({ processState: 'Error' }), []), 1],
  [new Error('x'), 1],
  ['not an error', 1],
])('%s has exit code %i', (error, code) => {
  expect(exitCodeOf(error)).toBe(code)
})
