/** The properties of `T`. Each property is either left out or has a value. */
type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** Returns the properties that have a value, because an option may be left out but must not be undefined. */
export function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>
}
