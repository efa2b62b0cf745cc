import { z } from 'zod'

/** JSON as it is stored. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Reads {@link Json}. */
export const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
)
