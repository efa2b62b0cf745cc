import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import { AnswerLinks } from '../../../../src/sas/waiting/answer-links.js'

const [old, next] = ['o'.repeat(32), 'n'.repeat(32)] as const
const publicUrl = 'https://jobs.example.com'
const question = { jobId: 'claim 1', step: 'review', assignee: 'ann' }
const clock = new VirtualClock()
const links = new AnswerLinks({ publicUrl, keys: [old] }, clock)
const tokenOf = (link: string): string => link.slice(link.indexOf('#') + 1)

describe('a signed link', () => {
  it('contains its question behind the #, and is read again', () => {
    const link = links.linkFor(question)
    expect(link.startsWith(`${publicUrl}/answer#`)).toBe(true)
    expect(links.read(tokenOf(link))).toEqual(question)
    const elsewhere = { ...question, partitionKey: 'acme' }
    expect(links.read(tokenOf(links.linkFor(elsewhere)))).toEqual(elsewhere)
  })

  it('ends with its time', async () => {
    const token = tokenOf(links.linkFor({ ...question, expiresIn: '1m' }))
    await clock.advance(59_999)
    expect(links.read(token)).toEqual(question)
    await clock.advance(1)
    expect(links.read(token)).toBeNull()
  })

  it('is refused if any part of it was changed, cut off or signed by another secret (F-H8)', () => {
    const token = tokenOf(links.linkFor(question))
    const [body = '', signed = ''] = token.split('.')
    const other = Buffer.from(JSON.stringify(['claim 2', null, 'review', 'ann', Number.MAX_SAFE_INTEGER]))
    const forged = [
      '',
      '.',
      body,
      `${body}.`,
      `${token}.`,
      `${body}A.${signed}`,
      `${other.toString('base64url')}.${signed}`,
      tokenOf(new AnswerLinks({ publicUrl, keys: [next] }, clock).linkFor(question)),
      'x'.repeat(100_000),
      ...Array.from(
        token,
        (character, at) => `${token.slice(0, at)}${character === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`,
      ),
    ]
    expect(forged.filter((one) => one !== token && links.read(one) !== null)).toEqual([])
  })

  it('stays valid while its secret is replaced', () => {
    const both = new AnswerLinks({ publicUrl, keys: [next, old] }, clock)
    expect(both.read(tokenOf(links.linkFor(question)))).toEqual(question)
    const renewed = tokenOf(both.linkFor(question))
    expect(links.read(renewed)).toBeNull()
    expect(new AnswerLinks({ publicUrl, keys: [next] }, clock).read(renewed)).toEqual(question)
  })

  it.each([
    [{ publicUrl: 'jobs.example.com', keys: [old] }, 'publicUrl'],
    [{ publicUrl: 'https://example.com/path', keys: [old] }, 'publicUrl'],
    [{ publicUrl: 'javascript:alert(1)', keys: [old] }, 'publicUrl'],
    [{ publicUrl, keys: [] }, 'keys must be a list of 1 to 5 secrets'],
    [{ publicUrl, keys: ['s3cret'] }, 'each of at least 32 characters'],
    [{ publicUrl, keys: old }, 'keys must be'],
  ])('needs an origin and good secrets, and names no secret: %j', (options, reason) => {
    const make = () => new AnswerLinks(options as never)
    expect(make).toThrow(reason)
    expect(make).not.toThrow(/s3cret|oooo/u)
  })

  it('needs a job, a step and a person', () => {
    expect(() => links.linkFor({ jobId: 'a', step: 'b' } as never)).toThrow(/^linkFor: assignee/u)
    expect(() => links.linkFor({ ...question, expiresIn: 'soon' })).toThrow(/expiresIn/u)
  })
})
