import { describe, expect, it } from 'vitest'
import { isOver } from '../../../../src/sas/model/is-over.js'
import { aJob } from '../../../support/a-job.js'

const ended = { processState: 'Processed', retainForMs: 1_500, ttl: -1 } as const

describe('whether a job is over', () => {
  it.each([
    ['has ended and is kept forever', { ...ended, retainForMs: null }, true],
    ['has ended and is to expire', ended, false],
    ['was undone and is to expire', { ...ended, processState: 'Compensated' }, false],
    ['has begun to expire', { ...ended, ttl: 2 }, true],
    ['is in error, which an operator may mend', { ...ended, processState: 'Error' }, true],
    ['is under way', { ...ended, processState: 'Processing' }, false],
  ] as const)('a job that %s: %j → %j', (_what, fields, isOne) => {
    expect(isOver(aJob(fields))).toBe(isOne)
  })
})
