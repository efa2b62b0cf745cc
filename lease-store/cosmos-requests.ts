import type { CosmosClient, PluginConfig } from '@azure/cosmos'
import { cosmosErrorKind } from './cosmos-errors.js'

/** How one request ended: what the answer's headers say (none where no answer came), and the failure if it was one. */
export interface RequestEnd {
  readonly headers: Readonly<Record<string, unknown>>
}

/** Called when a request leaves; what it returns is called when its answer has come. */
export type RequestObserver = () => (end: RequestEnd) => void

/** The options of the clients that are watched, each with those who watch it. */
const watched = new WeakMap<object, Set<RequestObserver>>()
/** What a request failed with, by the options object it was made with. */
const failures = new WeakMap<object, unknown>()

/**
 * Shows every request of a client to `observer`, each try of a repeated one by itself. The client may be the user's
 * own, so the plugin is added to the options that it already has.
 *
 * @returns ends it
 */
export function observeRequests(client: CosmosClient, observer: RequestObserver): () => void {
  const observers = watch(client)
  observers?.add(observer)
  return () => observers?.delete(observer)
}

/** From now on `failureOf` knows how requests of this client failed. */
export function watchFailures(client: CosmosClient): void {
  watch(client)
}

/**
 * What the requests with this options object failed with: the SDK drops the status of a batch that fails. Of the tries
 * that the SDK made it is the last one, or an earlier one that leaves open whether the batch was written.
 */
export function failureOf(options: object): unknown {
  return failures.get(options)
}

function watch(client: CosmosClient): Set<RequestObserver> | null {
  const context: unknown = Reflect.get(client, 'clientContext')
  const options: unknown = isObject(context) ? Reflect.get(context, 'cosmosClientOptions') : null
  if (!isObject(options)) return null
  const known = watched.get(options)
  if (known !== undefined) return known
  const observers = new Set<RequestObserver>()
  watched.set(options, observers)
  const present = Reflect.get(options, 'plugins') as readonly PluginConfig[] | undefined
  Reflect.set(options, 'plugins', [...(present ?? []), pluginOf(observers)])
  return observers
}

function pluginOf(observers: ReadonlySet<RequestObserver>): PluginConfig {
  return {
    on: 'request',
    plugin: async (context, _diagnostics, next) => {
      const ends = [...observers].map((observer) => observer())
      const { options } = context
      try {
        const answer = await next(context)
        for (const end of ends) end({ headers: answer.headers })
        return answer
      } catch (error) {
        if (isObject(options)) noteFailure(options, error)
        const headers: unknown = isObject(error) ? Reflect.get(error, 'headers') : null
        for (const end of ends) end({ headers: isObject(headers) ? { ...headers } : {} })
        throw error
      }
    },
  }
}

function noteFailure(options: object, error: unknown): void {
  const isOpen = cosmosErrorKind(failures.get(options), 'write').kind === 'unknownOutcome'
  if (!isOpen) failures.set(options, error)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
