import { describe, expect, it } from 'vitest'
import { commandProblems, submitProblems } from '../../../../src/sas/submission/submit-problems.js'

function problemsOf(terms: Readonly<Record<string, unknown>>): readonly string[] {
  return submitProblems({ jobId: 'job-1', partitionKey: 'job-1', ...terms })
}

it('names of people, reasons and notes have one limit each, and a long value is shown by its beginning', () => {
  const needed = { jobId: 'j', by: 'a'.repeat(201), why: 'b'.repeat(2_001), note: 'c'.repeat(2_000) }
  expect(commandProblems({ needed })).toEqual([
    `by is "${'a'.repeat(60)}…" with 201 characters; it must be a string that is not empty, of at most 200 characters`,
    `why is "${'b'.repeat(60)}…" with 2,001 characters; it must be a string that is not empty, of at most 2,000 characters`,
  ])
  expect(commandProblems({ needed: { jobId: 'j'.repeat(3_000) } })[0]).toMatch(
    /^jobId is "j{60}…" with 3,000/,
  )
})

it('an option that the call does not have is a problem', () => {
  const others = { partitionkey: 'p', dryRun: true }
  const terms = { needed: { jobId: 'j' }, optional: { partitionKey: undefined }, flags: { dryRun: true } }
  expect(commandProblems({ ...terms, others })).toEqual([
    'partitionkey is not an option: did you mean partitionKey?',
  ])
})

describe('the problems of a submission', () => {
  it.each([
    {},
    { jobId: 'x'.repeat(200) },
    { jobId: '😀' },
    {
      orderId: 'o',
      replyTo: 'https://shop.example',
      notify: ['attention', 'finished'],
      priority: -1.5,
      completeWithin: '30s',
      retainFor: 1_000,
      alongside: [],
    },
  ])('are none for %j', (terms) => {
    expect(problemsOf({ partitionKey: 'p', ...terms })).toEqual([])
  })

  it.each<[object, string]>([
    [{ jobId: '' }, 'jobId is ""; it must be a text of 1 to 200 characters, with no space at its ends'],
    [{ jobId: ' a' }, 'jobId is " a"; it must be a text of 1 to 200 characters, with no space at its ends'],
    [{ jobId: 7 }, 'jobId is 7; it must be a text of 1 to 200 characters, with no space at its ends'],
    [{ jobId: 'cut \ud83d' }, String.raw`jobId is "cut \ud83d"; it must be a text of 1 to 200 characters`],
    [
      { partitionKey: '\ude00' },
      String.raw`partitionKey is "\ude00"; it must be a text of 1 to 200 characters`,
    ],
    [
      { partitionKey: 'p ' },
      'partitionKey is "p "; it must be a text of 1 to 200 characters, with no space at its ends',
    ],
    [{ orderId: '' }, 'orderId is ""; it must be a string that is not empty'],
    [{ orderId: ' ' }, 'orderId is " "; it must be a string that is not empty'],
    [{ jobId: undefined }, 'jobId is missing; it must be a text of 1 to 200 characters'],
    [
      { notify: [] },
      'notify is []; it must be a list of at least one of received, started, attention, finished',
    ],
    [{ notify: ['ended'] }, 'notify is ["ended"]; it must be a list of at least one of received'],
    [{ notify: 'finished' }, 'notify is "finished"; it must be a list of at least one of received'],
    [{ replyTo: null }, 'replyTo is null; it must be a string that is not empty'],
    [{ priority: Number.NaN }, 'priority is NaN; it must be a number'],
    [{ priority: '1' }, 'priority is "1"; it must be a number'],
    [{ completeWithin: 'soon' }, 'completeWithin is "soon"; it must be a duration from 1 ms to 100 years'],
    [{ retainFor: 0 }, 'retainFor is 0; it must be a duration from 1 ms to 100 years'],
    [{ jobid: 'a', jobId: 'b' }, 'jobid is not an option: did you mean jobId?'],
    [{ timeout: '1s' }, 'timeout is not an option: the options are jobId, '],
  ])('name the value and the rule for %j', (terms, problem) => {
    const other = 'jobId' in terms ? { partitionKey: 'p' } : {}
    expect(problemsOf({ ...other, ...terms })).toEqual([expect.stringContaining(problem)])
  })

  it('come all at once, and only once for an id that is also the partition key', () => {
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

  it('are all named, each with its rule, when they are invalid', () => {
    const terms = {
      needed: { jobId: undefined, by: '', why: ' ', where: 7 },
      optional: { step: null, partitionKey: '' },
      flags: { dryRun: 'yes', again: 1 },
    }
    expect(commandProblems(terms)).toEqual([
      'jobId is missing; it must be a string that is not empty, of at most 1,000 characters',
      'by is ""; it must be a string that is not empty, of at most 200 characters',
      'why is " "; it must be a string that is not empty, of at most 2,000 characters',
      'where is 7; it must be a string that is not empty',
      'step is null; it must be a string that is not empty, of at most 1,000 characters',
      'partitionKey is ""; it must be a string that is not empty, of at most 1,000 characters',
      'dryRun is "yes"; it must be true or false',
      'again is 1; it must be true or false',
    ])
  })
})
