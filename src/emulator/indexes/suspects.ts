import type { Container, DocumentVersion } from '../engine/index.js'
import { pointSpan, presentSpan, spanOf, type Span } from '../query/values/span.js'
import { matchOf } from './summaries/block-summary.js'
import { blocksOf, candidatesIn, placesIn } from './candidates.js'
import { KeptSummaries } from './summaries/kept-summaries.js'

/** What a document has at a path: some value, a number, or this text. */
export interface Sign {
  readonly path: readonly string[]
  readonly has: 'a value' | 'a number' | { readonly text: string }
}

/**
 * Returns all documents that have one of these signs, and perhaps others, in parts. Null if the container has no
 * summaries that tell. A part is read when it is reached, and other work may run between two parts. Documents that
 * change after this call may be missing.
 */
export async function suspects(
  container: Container,
  signs: readonly Sign[],
): Promise<Iterable<readonly DocumentVersion[]> | null> {
  const summaries = KeptSummaries.of(container)
  if (summaries === null) return null
  const wanted = signs.map(({ path, has }) => [{ place: summaries.placeOf(path), spans: [spanFor(has)] }])
  if (wanted.some(([sign]) => sign === undefined || sign.place < 0)) return null
  await summaries.caughtUp()
  // New settings may have replaced the summaries.
  if (KeptSummaries.of(container) !== summaries || !summaries.catchUp()) return null
  const candidates = candidatesIn(summaries.chapters(), (group) =>
    wanted.every((sign) => matchOf(group, sign) === 'none') ? 'none' : 'some',
  )
  return {
    *[Symbol.iterator]() {
      for (const candidate of candidates) {
        // A block that changed since the previous part is unknown, and may have other documents.
        summaries.catchUp()
        for (const { within, groups } of blocksOf([candidate]))
          yield [...summaries.documentsOf(within, placesIn(groups))]
      }
    },
  }
}

function spanFor(has: Sign['has']): Span {
  if (has === 'a value') return presentSpan()
  return has === 'a number' ? spanOf('>=', Number.NEGATIVE_INFINITY) : pointSpan(has.text)
}
