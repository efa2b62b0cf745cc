import { describe, expect, it } from 'vitest'
import { commandProblems, submitProblems } from '../../../../src/sas/submission/submit-problems.js'

function problemsOf(terms: Readonly<Record<string, unknown>>): string[] {
  return submitProblems({ jobId: 'job-1', partitionKey: 'job-1', ...terms })
}

describe('what is said about a submission', () => {
  it.each([
    {},
    { jobId: 'x'.repeat(200) },
    { jobId: '😀' },
    {
      orderId: 'o',
      replyTo: 'https://shop.example',
      priority: -1.5,
      completeWithin: '30s',
      retainFor: 1_000,
      alongside: [],
    },
  ])('may be %j', (terms) => {
    expect(problemsOf({ partitionKey: 'p', ...terms })).toEqual([])
  })

  it.each<[object, string]>([
    [{ jobId: '' }, 'jobId "": must have 1 to 200 characters and no space at its ends'],
    [{ jobId: ' a' }, 'jobId " a": must have 1 to 200 characters and no space at its ends'],
    [{ jobId: 7 }, 'jobId 7: must have 1 to 200 characters and no space at its ends'],
    [{ jobId: 'cut \ud83d' }, String.raw`jobId "cut \ud83d": has half a character (a lone surrogate)`],
    [{ partitionKey: '\ude00' }, String.raw`partitionKey "\ude00": has half a character (a lone surrogate)`],
    [{ partitionKey: 'p ' }, 'partitionKey "p ": must have 1 to 200 characters and no space at its ends'],
    [{ orderId: '' }, 'orderId "" must be a text that is not empty'],
    [{ orderId: ' ' }, 'orderId " " must be a text that is not empty'],
    [{ jobId: undefined }, 'jobId undefined: must have 1 to 200 characters'],
    [{ replyTo: null }, 'replyTo null must be a text that is not empty'],
    [{ priority: Number.NaN }, 'priority NaN must be a number'],
    [{ priority: '1' }, 'priority "1" must be a number'],
    [{ completeWithin: 'soon' }, 'completeWithin "soon" must be a positive duration such as'],
    [{ retainFor: 0 }, 'retainFor 0 must be a positive duration such as'],
    [{ jobid: 'a', jobId: 'b' }, 'there is no option "jobid": did you mean jobId?'],
    [{ timeout: '1s' }, 'there is no option "timeout": known are jobId, '],
  ])('is wrong as %j, which is named with the rule', (terms, problem) => {
    const other = 'jobId' in terms ? { partitionKey: 'p' } : {}
    expect(problemsOf({ ...other, ...terms })).toEqual([expect.stringContaining(problem)])
  })

  it('names an id once that is the partition key as well, and all that is wrong at once', () => {
    expect(problemsOf({ jobId: '', partitionKey: '' })).toHaveLength(1)
    expect(problemsOf({ jobId: 'x'.repeat(201), partitionKey: '', orderId: '', retainFor: -1 })).toHaveLength(
      4,
    )
  })
})

describe('the arguments of a call about a job', () => {
  it('may be texts, and flags that are true, false or left out', () => {
    expect(commandProblems({ needed: { jobId: 'a', why: 'b' } })).toEqual([])
    const optional = { step: 's', partitionKey: undefined }
    const flags = { dryRun: true, again: false, other: undefined }
    expect(commandProblems({ needed: {}, optional, flags })).toEqual([])
  })

  it('are all named that are not what they must be, with the rule', () => {
    const terms = {
      needed: { jobId: undefined, by: '', why: ' ', where: 7 },
      optional: { step: null, partitionKey: '' },
      flags: { dryRun: 'yes', again: 1 },
    }
    expect(commandProblems(terms)).toEqual([
      'jobId undefined must be a text that is not empty',
      'by "" must be a text that is not empty',
      'why " " must be a text that is not empty',
      'where 7 must be a text that is not empty',
      'step null must be a text that is not empty',
      'partitionKey "" must be a text that is not empty',
      'dryRun "yes" must be true or false',
      'again 1 must be true or false',
    ])
  })
})
