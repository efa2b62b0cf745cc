import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorMessage, packageVersion } from '../platform/internal.js'
import { changesPath, openApi, openApiPath } from './api/openapi.js'
import type { PageStore } from './api/page-store.js'
import { answered } from './api/route.js'
import { rightTo, routes } from './api/routes.js'
import { statusOf } from './door/status-of.js'
import { importMapHash } from './assets/modules.js'
import { pageFile } from './assets/page-files.js'
import { readJson } from './door/body.js'
import type { Door } from './door/door.js'
import { mayUse, type Person } from './door/people.js'
import { json, problem, protection, send, type Reply } from './door/reply.js'
import type { LinkAnswers } from './link-answers.js'
import type { Viewers } from './live/viewers.js'

/** What a page shows, without the person who looks. */
export type ShownStore = Omit<PageStore, 'by' | 'roles' | 'may'>

export interface AnswersOptions {
  readonly store: ShownStore
  readonly viewers: Viewers
  readonly door: Door
  /** Answers people who open signed links. Null if links are not configured. */
  readonly links: LinkAnswers | null
}

const protecting = protection(importMapHash)

/**
 * Answers the requests of browsers and programs. Files of the page contain no data, so they need no person.
 * Everything under `/api/` needs one, who has the role of the route.
 */
export class PageAnswers {
  constructor(private readonly options: AnswersOptions) {}

  answer(request: IncomingMessage, response: ServerResponse): void {
    this.reply(request, response)
      .catch(failed)
      .then((reply) => {
        if (reply !== null) send(response, protecting, reply)
      })
      .catch(() => response.destroy())
  }

  /** Returns the answer, or null if the response has become a stream of changes. */
  private async reply(request: IncomingMessage, response: ServerResponse): Promise<Reply | null> {
    const { door, viewers, links } = this.options
    const { method = '' } = request
    const [path, base] = [request.url ?? '/', 'http://127.0.0.1']
    if (!URL.canParse(path, base)) return problem(400, 'the path of the request is not valid')
    const url = new URL(path, base)
    const linked = (await links?.reply(request, url.pathname)) ?? null
    if (linked !== null) return linked
    const refusal = door.refusal(request)
    if (refusal !== null) return problem(refusal.status, refusal.reason)
    const signedIn = method === 'GET' ? door.signIn(url) : null
    if (signedIn !== null) return signedIn
    if (!url.pathname.startsWith('/api/')) {
      return method === 'GET' ? file(request, url.pathname) : notFound(url.pathname)
    }
    const person = await door.personOf(request)
    if ('status' in person) return problem(person.status, person.reason, 'NotSignedIn')
    if (method !== 'GET' || url.pathname !== changesPath) return this.apiReply(request, url, person)
    if (viewers.add(response, protecting, person.untilMs)) return null
    return problem(503, 'too many browsers and programs follow the changes: close some', 'Busy')
  }

  private async apiReply(
    request: IncomingMessage,
    url: URL,
    { untilMs: _until, ...person }: Person,
  ): Promise<Reply> {
    const { method } = request
    if (method === 'GET' && url.pathname === openApiPath) return json(200, openApi(packageVersion()))
    const route = routes.find((known) => known.path === url.pathname && known.method === method)
    if (route === undefined) return notFound(url.pathname)
    if (!mayUse(person, route)) {
      return problem(
        403,
        `the role ${person.roles.join(', ')} of ${person.by} does not permit this`,
        'Forbidden',
      )
    }
    const may = routes.flatMap((known) => (mayUse(person, known) ? (rightTo(known) ?? []) : []))
    const store = { ...this.options.store, ...person, may }
    try {
      const asked = method === 'GET' ? Object.fromEntries(url.searchParams) : await readJson(request)
      return json(200, await answered(route, store, asked))
    } catch (error) {
      return failed(error)
    }
  }
}

function file({ headers }: IncomingMessage, path: string): Reply {
  const found = pageFile(path)
  if (found !== null) return { status: 200, type: found.type, body: found.text }
  // A person who follows a wrong link sees the views that there are. A program gets the error as JSON.
  const views = headers.accept?.includes('text/html') === true ? pageFile('/') : null
  return views === null ? notFound(path) : { status: 404, type: views.type, body: views.text }
}

function notFound(path: string): Reply {
  return problem(404, `there is nothing at ${path}`, 'NotFound')
}

/** Answers a request that failed. The message of an unknown error may help the person who asked. */
function failed(error: unknown): Reply {
  return problem(statusOf(error), errorMessage(error), error instanceof Error ? error.name : 'Error')
}
