import type { IncomingMessage } from 'node:http'
import { errorMessage } from '../platform/internal.js'
import { CommandInvalid, StoreUnavailable, type AnswerLinks, type LinkedQuestion } from '../sas/index.js'
import { answerPath, questionAt, type JobClient, type StateStore } from '../sas/internal.js'
import { pageFile } from './assets/page-files.js'
import { BodyRefused, readJson } from './door/body.js'
import { provenanceOf } from './door/door.js'
import { json, problem, type Reply } from './door/reply.js'

/** The path of the question of a link. */
const questionPath = `${answerPath}/question`

/** The same words for every link that does not open a question, so that they tell a stranger nothing. */
const notOpen = problem(
  403,
  'This link cannot be used: it is not complete, has expired, or its question is not open.',
)

/** The largest answer that a person without an account can send. */
const mostBytes = 100_000

/**
 * Answers the requests of people who open signed links. GET only serves files, so programs that open links in mails
 * change nothing. The token is in a header, and is checked before a body or the store is read.
 */
export class LinkAnswers {
  constructor(
    private readonly links: AnswerLinks,
    private readonly client: Pick<JobClient, 'answer'>,
    private readonly store: StateStore,
  ) {}

  /** Returns the reply, or null if the request is not about a link. */
  async reply(request: IncomingMessage, path: string): Promise<Reply | null> {
    const { method } = request
    if (method === 'GET') return path.startsWith('/api/') ? null : linkFile(path)
    if (method !== 'POST' || (path !== answerPath && path !== questionPath)) return null
    const { origin = this.links.origin, host, contentType = '' } = provenanceOf(request)
    if (origin !== this.links.origin && origin !== `http://${host ?? ''}`)
      return problem(403, 'the page does not answer requests of other pages')
    if (!contentType.toLowerCase().startsWith('application/json'))
      return problem(415, 'an answer needs a body with the content type application/json')
    const linked = this.links.read(tokenIn(request))
    if (linked === null) return notOpen
    try {
      return path === questionPath ? await this.question(linked) : await this.answer(request, linked)
    } catch (error) {
      if (error instanceof BodyRefused) return problem(error.status, error.message)
      if (error instanceof CommandInvalid) return problem(400, errorMessage(error))
      if (error instanceof StoreUnavailable)
        return problem(503, 'The store does not answer. Try again later.')
      return notOpen
    }
  }

  private async question(linked: LinkedQuestion): Promise<Reply> {
    const open = await questionAt(this.store, linked)
    if (open === null) return notOpen
    const { title, expiresAt, form } = open
    return json(200, { title, expiresAt, form, assignee: linked.assignee })
  }

  private async answer(request: IncomingMessage, linked: LinkedQuestion): Promise<Reply> {
    const { jobId, step, assignee, partitionKey } = linked
    const body = await readJson(request, mostBytes)
    if (typeof body !== 'object' || body === null) return problem(400, 'the body must be a JSON object')
    const { answer, note } = body as Readonly<Record<string, unknown>>
    await this.client.answer(jobId, step, answer, {
      by: assignee,
      ...(typeof note === 'string' && note !== '' && { note }),
      ...(partitionKey !== undefined && { partitionKey }),
    })
    return json(200, { isAnswered: true })
  }
}

/** Returns a file that the page of a link needs. No file contains data. */
function linkFile(path: string): Reply | null {
  if (path !== answerPath && !path.startsWith('/page/') && !path.startsWith('/modules/')) return null
  const found = pageFile(path)
  return found === null ? null : { status: 200, type: found.type, body: found.text }
}

function tokenIn({ headers: { authorization = '' } }: IncomingMessage): string {
  return /^Bearer (\S+)$/u.exec(authorization)?.[1] ?? ''
}
