/** The same properties, each left out or with a value. */
type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Returns the properties that have a value. Options may be left out, but must not be undefined. */
export function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>
}
