export { storeError } from '../../src/testing/store-error.js'

/** Handles one call: answers instead of the port, or forwards the call. */
export type Interception<A extends unknown[], R> = (
  forward: (...args: A) => Promise<R>,
  ...args: A
) => Promise<R>

/**
 * Returns the port with one method intercepted. Each call uses up one interception; later calls go to the
 * port.
 */
export function intercepted<P extends object, K extends keyof P>(
  port: P,
  method: K,
  interceptions: (P[K] extends (...args: infer A) => Promise<infer R> ? Interception<A, R> : never)[],
): P {
  return new Proxy(port, {
    get: (target, name): unknown => {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      const forward = (...args: unknown[]): unknown => Reflect.apply(member, target, args)
      if (name !== method) return forward
      return (...args: unknown[]): unknown => {
        const next: unknown = interceptions.shift()
        return typeof next === 'function'
          ? Reflect.apply(next, undefined, [forward, ...args])
          : forward(...args)
      }
    },
  })
}
