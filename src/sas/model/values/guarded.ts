/** The sentences about uses of an object of a definition that would lose it without a trace. */
interface Uses {
  /** The sentence about a spread, a rest, a list of keys or a conversion to JSON. */
  readonly whole: string
  /** The sentence about a loop, or a list that is destructured. */
  readonly looped: string
  /** The sentence about a property that the object does not have. */
  readonly property: (name: string) => string
}

/**
 * Wraps an object so that a use that would silently lose it throws a TypeError with the right form: a spread,
 * a loop, a conversion to JSON, a change, or a property that it does not have, which would be undefined.
 */
export function guarded<T extends object>(target: T, { whole, looped, property }: Uses): T {
  return new Proxy(target, {
    get: (object, name) => {
      if (name === Symbol.iterator) return () => refuse(looped)
      if (name === 'toJSON') refuse(whole)
      if (typeof name === 'string' && !(name in object)) refuse(property(name))
      return Reflect.get(object, name) as unknown
    },
    ownKeys: () => refuse(whole),
    set: () => refuse(whole),
    deleteProperty: () => refuse(whole),
  })
}

function refuse(sentence: string): never {
  throw new TypeError(sentence)
}
