import { expect, it } from 'vitest'
import { CliError, exitCodeOf, inCommandWords } from '../../../../src/cli/output/cli-error.js'
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

it('problems of arguments name the options of the command line', () => {
  const message =
    'raiseEvent: by is ""; it must be a string; jobId is missing; completeWithin is 7; nothing is 3'
  expect(inCommandWords(message)).toBe(
    'raiseEvent: --by is ""; it must be a string; JOB is missing; --complete-within is 7; nothing is 3',
  )
  expect(inCommandWords('limits.set: atOnce must be 1')).toBe('--at-once must be 1')
  expect(inCommandWords('restart: dryRun must be true')).toBe('restart: --dry-run must be true')
  expect(inCommandWords('the reason is short: what is by is fine')).toBe(
    'the reason is short: what is by is fine',
  )
})
