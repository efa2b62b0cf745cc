import { unwrapped, type Expression, type Query, type Source } from '../language/ast.js'
import { mapped } from '../language/mapped.js'
import { computedValue, type ComputedProperty, type ComputedValue } from './computed-property.js'

/** What the names in one place of a query mean. */
interface Place {
  readonly properties: ReadonlyMap<string, ComputedProperty>
  /** The aliases of whole documents. */
  readonly documents: ReadonlySet<string>
  /** True if FROM may name the container here. */
  readonly hasContainer: boolean
}

/**
 * Returns a query in which each computed property (`c.cp`) is replaced by the expression of its value. The
 * rest of the compiler therefore never sees a computed property, and cannot mistake it for a stored one.
 */
export function withComputed(query: Query, properties: readonly ComputedProperty[]): Query {
  if (properties.length === 0) return query
  const byName = new Map(properties.map((property) => [property.name, property]))
  return replaced(query, { properties: byName, documents: new Set(), hasContainer: true })
}

function replaced(query: Query, outer: Place): Query {
  const { sources, place } = replacedSources(query, outer)
  const inside = (expression: Expression): Expression => replacedIn(expression, place)
  return {
    ...query,
    sources,
    selection: replacedSelection(query.selection, place),
    where: query.where === undefined ? undefined : inside(query.where),
    groupBy: query.groupBy.map(inside),
    orderBy: query.orderBy.map((item) => ({
      ...item,
      expression: inside(item.expression),
      isComputed: propertyAt(item.expression, place) !== undefined,
    })),
    rank: query.rank === undefined ? undefined : inside(query.rank),
  }
}

function replacedSelection(selection: Query['selection'], place: Place): Query['selection'] {
  if (selection.kind === 'all') return selection
  if (selection.kind === 'value') return { ...selection, expression: replacedIn(selection.expression, place) }
  const items = selection.items.map(({ expression, alias }) => ({
    expression: replacedIn(expression, place),
    // A property keeps its name in the row.
    alias: alias ?? propertyAt(expression, place)?.name,
  }))
  return { ...selection, items }
}

function replacedSources(query: Query, outer: Place): { sources: readonly Source[]; place: Place } {
  let place = outer
  const sources = query.sources.map((source) => {
    const changed = replacedSource(source, query, place)
    const documents = new Set(place.documents)
    if (source.alias !== undefined) documents.delete(source.alias)
    if (source.alias !== undefined && isDocument(source, place)) documents.add(source.alias)
    place = { ...place, documents, hasContainer: false }
    return changed
  })
  return { sources, place: { ...place, hasContainer: false } }
}

function isDocument({ collection, isIterated }: Source, { documents, hasContainer }: Place): boolean {
  if (isIterated || collection.kind === 'query' || collection.steps.length > 0) return false
  return hasContainer || documents.has(collection.root.name)
}

function replacedSource(source: Source, { span }: Query, place: Place): Source {
  const { collection } = source
  if (collection.kind === 'query') {
    return { ...source, collection: { kind: 'query', query: replaced(collection.query, place) } }
  }
  const { root, steps } = collection
  const [name, ...rest] = steps
  const property = typeof name === 'string' ? place.properties.get(name) : undefined
  const isOfDocument = place.hasContainer || place.documents.has(root.name)
  if (property === undefined || !isOfDocument) return source
  const value = rest.reduce<Expression>(
    (object, step) => ({ kind: 'member', object, key: { kind: 'literal', value: step, span }, span }),
    valueFor(property, root.name),
  )
  const document: Source = {
    ...source,
    alias: root.name,
    isIterated: false,
    collection: { kind: 'path', root, steps: [] },
  }
  const selected: Query = {
    selection: { kind: 'value', expression: value },
    isDistinct: false,
    top: undefined,
    selectionSpan: span,
    fromSpan: span,
    sources: place.hasContainer ? [document] : [],
    where: undefined,
    groupBy: [],
    orderBy: [],
    rank: undefined,
    page: undefined,
    span,
  }
  return { ...source, collection: { kind: 'query', query: selected } }
}

function replacedIn(expression: Expression, place: Place): Expression {
  if (expression.kind === 'subquery') return { ...expression, query: replaced(expression.query, place) }
  const found = propertyAt(expression, place)
  if (found === undefined) return mapped(expression, (child) => replacedIn(child, place))
  // The expression keeps the property's place in the text, because plans copy the text of the user.
  return { kind: 'parenthesized', inner: valueFor(found, found.alias), span: expression.span }
}

/** Returns the computed property that an expression such as `c.cp` or `c["cp"]` names. */
function propertyAt(
  expression: Expression,
  { documents, properties }: Place,
): (ComputedProperty & { readonly alias: string }) | undefined {
  const inner = unwrapped(expression)
  if (inner.kind !== 'member' || inner.key.kind !== 'literal') return undefined
  const object = unwrapped(inner.object)
  if (object.kind !== 'source' || !documents.has(object.name)) return undefined
  const property = typeof inner.key.value === 'string' ? properties.get(inner.key.value) : undefined
  return property === undefined ? undefined : { ...property, alias: object.name }
}

function valueFor({ query }: ComputedProperty, alias: string): Expression {
  return renamed(computedValue(query), alias)
}

function renamed({ expression, alias }: ComputedValue, name: string): Expression {
  const rename = (part: Expression): Expression =>
    part.kind === 'source' && part.name === alias ? { ...part, name } : mapped(part, rename)
  return rename(expression)
}
