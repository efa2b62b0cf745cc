export { storeError } from '../../src/testing/store-error.js'

/** What becomes of one call: answers in place of the port, or by way of it. */
export type Interception<A extends unknown[], R> = (
  forward: (...args: A) => Promise<R>,
  ...args: A
) => Promise<R>

/** The port with one method intercepted: each call uses up one interception; afterwards calls go through. */
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
