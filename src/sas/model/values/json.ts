/** A JSON value as the store keeps it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
