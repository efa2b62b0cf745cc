import type { Container } from '../../engine/index.js'
import { indexAdvice, type IndexAdvice, type SingleIndex } from '../../indexes/index-advice.js'
import { header, isSet, type RestRequest } from '../../messages/rest-message.js'
import type { ItemQuery } from './item-pages.js'

/** The longest header value, so that every client can read it. Node refuses headers of 16 KB in total. */
const longestHeader = 8_000

/**
 * Returns the header with index metrics if the request asks for them. As in the service, only the first page
 * has them. New clients ask for version 2 (URL-encoded JSON), and old clients ask for version 1 (base64).
 */
export function indexMetricsHeader(
  request: RestRequest,
  container: Container,
  query: ItemQuery,
): Readonly<Record<string, string>> {
  const isNew = isSet(request, header.populateIndexMetricsV2)
  const isFirst = (request.headers[header.continuation] ?? '') === ''
  if (!isFirst || !(isNew || isSet(request, header.populateIndexMetrics))) return {}
  const encoded = isNew ? newText : oldText
  let advice = indexAdvice(container.definition.indexingPolicy, query)
  while (encoded(advice).length > longestHeader) advice = shortened(advice)
  return { [header.indexUtilization]: encoded(advice) }
}

const impact = { IndexImpactScore: 'High' }

function newText({
  utilizedSingle,
  potentialSingle,
  utilizedComposite,
  potentialComposite,
}: IndexAdvice): string {
  const single = ({ spec }: SingleIndex): object => ({ IndexSpec: spec })
  const composite = (specs: readonly string[]): object => ({ IndexSpecs: specs })
  const value = {
    UtilizedIndexes: {
      SingleIndexes: utilizedSingle.map(single),
      CompositeIndexes: utilizedComposite.map(composite),
    },
    PotentialIndexes: {
      SingleIndexes: potentialSingle.map((index) => ({ ...single(index), ...impact })),
      CompositeIndexes: potentialComposite.map((index) => ({ ...composite(index), ...impact })),
    },
  }
  return encodeURIComponent(JSON.stringify(value))
}

function oldText({
  utilizedSingle,
  potentialSingle,
  utilizedComposite,
  potentialComposite,
}: IndexAdvice): string {
  const single = ({ spec, expression }: SingleIndex): object => ({
    FilterExpression: expression,
    IndexSpec: spec,
    FilterPreciseSet: true,
    IndexPreciseSet: true,
    ...impact,
  })
  const composite = (IndexSpecs: readonly string[]): object => ({
    IndexSpecs,
    IndexPreciseSet: false,
    ...impact,
  })
  const value = {
    UtilizedSingleIndexes: utilizedSingle.map(single),
    PotentialSingleIndexes: potentialSingle.map(single),
    UtilizedCompositeIndexes: utilizedComposite.map(composite),
    PotentialCompositeIndexes: potentialComposite.map(composite),
  }
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** Leaves out the second half of the longest list. */
function shortened(advice: IndexAdvice): IndexAdvice {
  const [longest] = Object.entries(advice as Record<keyof IndexAdvice, readonly unknown[]>).sort(
    ([, one], [, other]) => JSON.stringify(other).length - JSON.stringify(one).length,
  )
  if (longest === undefined) return advice
  const [name, list] = longest
  return { ...advice, [name]: list.slice(0, Math.floor(list.length / 2)) }
}
