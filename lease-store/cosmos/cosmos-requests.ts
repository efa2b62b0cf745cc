import type { CosmosClient, PluginConfig } from '@azure/cosmos'
import { contextOf, isObject } from './cosmos-client-context.js'
import { cosmosErrorKind } from './cosmos-errors.js'

/** The end of one request, with the headers of the answer. Without an answer, `headers` is empty. */
export interface RequestEnd {
  readonly headers: Readonly<Record<string, unknown>>
}

/** A function to call when a request is sent. It returns a function to call when the request ends. */
export type RequestObserver = () => (end: RequestEnd) => void

/** Waits a moment before a further try. Its argument is the number of tries so far. */
export type RetryPause = (tries: number) => Promise<void>

/** What is done at the requests of a client. */
interface Watch {
  readonly observers: Set<RequestObserver>
  /** The pause before a request is tried again after status 449. Null: such a request fails. */
  retryPause: RetryPause | null
}

/** The number of tries of a request that the store answers with status 449. */
const maxTries = 4

/** What is done at the requests of each watched client, by the client's options object. */
const watched = new WeakMap<object, Watch>()
/** The error of each failed request, by the options object that was passed with the request. */
const failures = new WeakMap<object, unknown>()

/**
 * Calls `observer` for every request of a client, including each retry. The client may already exist, so this
 * function adds a plugin to the client's options.
 *
 * @returns a function that removes the observer
 */
export function observeRequests(client: CosmosClient, observer: RequestObserver): () => void {
  const observers = watch(client)?.observers
  observers?.add(observer)
  return () => observers?.delete(observer)
}

/**
 * Records the failures of this client's requests, so that {@link failureOf} can return them. Tries a request again that
 * the store answers with status 449. The store then wrote nothing and asks for another try, which the SDK does not make
 * (F-X3).
 */
export function watchFailures(client: CosmosClient, retryPause: RetryPause): void {
  const known = watch(client)
  if (known !== null) known.retryPause = retryPause
}

/**
 * Returns the error of the requests with this options object, or undefined if no request failed. The SDK
 * itself does not report the status of a failed batch. If several tries failed, returns the first error that
 * leaves open whether the batch was written. If there is no such error, returns the last error.
 */
export function failureOf(options: object): unknown {
  return failures.get(options)
}

function watch(client: CosmosClient): Watch | null {
  const options = contextOf(client, 'cosmosClientOptions')
  if (!isObject(options)) return null
  const known = watched.get(options)
  if (known !== undefined) return known
  const made: Watch = { observers: new Set(), retryPause: null }
  watched.set(options, made)
  const present = Reflect.get(options, 'plugins') as readonly PluginConfig[] | undefined
  Reflect.set(options, 'plugins', [...(present ?? []), pluginOf(made)])
  return made
}

function pluginOf(watching: Watch): PluginConfig {
  return {
    on: 'request',
    plugin: async (context, _diagnostics, next) => {
      const { options } = context
      for (let tries = 1; ; tries += 1) {
        const ends = [...watching.observers].map((observer) => observer())
        try {
          const answer = await next(context)
          for (const end of ends) end({ headers: answer.headers })
          return answer
        } catch (error) {
          if (isObject(options)) noteFailure(options, error)
          const headers: unknown = isObject(error) ? Reflect.get(error, 'headers') : null
          for (const end of ends) end({ headers: isObject(headers) ? { ...headers } : {} })
          const { retryPause } = watching
          const isAgain = tries < maxTries && cosmosErrorKind(error).kind === 'retryWith'
          if (retryPause === null || !isAgain) throw error
          await retryPause(tries)
        }
      }
    },
  }
}

function noteFailure(options: object, error: unknown): void {
  const isOpen = cosmosErrorKind(failures.get(options), 'write').kind === 'unknownOutcome'
  if (!isOpen) failures.set(options, error)
}
