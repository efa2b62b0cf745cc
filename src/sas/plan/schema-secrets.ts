import type { SecretPath } from '../model/values/hidden.js'
import type { Json } from '../model/values/json.js'

type Schema = Readonly<Record<string, Json>>

/** A schema inside another one, with the names of its values. A reference leads to a schema elsewhere. */
interface Part {
  readonly schema: Schema
  readonly names: SecretPath
  readonly isReference: boolean
}

/** Keywords with one schema, or a list of schemas, for all items or all further properties. */
const ofEach = ['items', 'prefixItems', 'additionalItems', 'contains', 'additionalProperties']
/** Keywords with one schema, or a list of schemas, for the value itself. */
const ofSelf = ['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else']

/** Returns the paths of the values that a JSON Schema marks with `"secret": true`. */
export function secretsInSchema(schema: Json | undefined): readonly SecretPath[] {
  return isSchema(schema) ? new SchemaSecrets(schema).in(schema) : []
}

/**
 * Finds the marks of one schema. A path has an end, so it cannot describe the marks in a schema that contains itself.
 * There, the whole value that leads back to the schema counts as secret.
 */
class SchemaSecrets {
  private readonly found = new Map<Schema, readonly SecretPath[]>()
  private readonly reachable = new Map<Schema, ReadonlySet<Schema>>()

  constructor(private readonly root: Schema) {}

  in(schema: Schema): readonly SecretPath[] {
    const known = this.found.get(schema)
    if (known !== undefined) return known
    const paths: readonly SecretPath[] =
      schema['secret'] === true ? [[]] : this.partsOf(schema).flatMap((part) => this.inPart(schema, part))
    this.found.set(schema, paths)
    return paths
  }

  private inPart(around: Schema, { schema, names, isReference }: Part): readonly SecretPath[] {
    if (!isReference) return this.in(schema).map((path) => [...names, ...path])
    const reached = this.reachableFrom(schema)
    if (!reached.has(around)) return this.in(schema).map((path) => [...names, ...path])
    return [...reached].some(({ secret }) => secret === true) ? [names] : []
  }

  /** Returns this schema and all that values of it may contain. */
  private reachableFrom(schema: Schema): ReadonlySet<Schema> {
    const known = this.reachable.get(schema)
    if (known !== undefined) return known
    const reached = new Set([schema])
    // A set returns what is added to it meanwhile.
    for (const each of reached) for (const part of this.partsOf(each)) reached.add(part.schema)
    this.reachable.set(schema, reached)
    return reached
  }

  private partsOf(schema: Schema): readonly Part[] {
    const parts = (keywords: readonly string[], names: SecretPath): Part[] =>
      keywords
        .flatMap((keyword) => schema[keyword] ?? [])
        .filter(isSchema)
        .map((part) => ({ schema: part, names, isReference: false }))
    const named = Object.entries(schema['properties'] ?? {}).flatMap(([name, part]: [string, Json]) =>
      isSchema(part) ? [{ schema: part, names: [name], isReference: false }] : [],
    )
    const patterns = Object.values(schema['patternProperties'] ?? {}).filter(isSchema)
    const target = this.targetOf(schema['$ref'])
    return [
      ...named,
      ...patterns.map((part) => ({ schema: part, names: ['*'], isReference: false })),
      ...parts(ofEach, ['*']),
      ...parts(ofSelf, []),
      ...(target === null ? [] : [{ schema: target, names: [], isReference: true }]),
    ]
  }

  /** Returns the schema to which a reference leads, or null. */
  private targetOf(reference: Json | undefined): Schema | null {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return null
    const names = reference.split('/').slice(1).map(decoded)
    const byPointer = names.reduce<Json | undefined>(
      (value, name) => (isSchema(value) ? value[name] : undefined),
      this.root,
    )
    // Zod writes the id of a definition as it is, also if the id contains a slash.
    const definitions = this.root['$defs']
    const byId = isSchema(definitions) ? definitions[reference.replace('#/$defs/', '')] : undefined
    const target = byPointer ?? byId
    return isSchema(target) ? target : null
  }
}

function isSchema(value: Json | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a name of a JSON pointer in a URI as it is. */
function decoded(name: string): string {
  const text = /%(?![0-9a-f]{2})/i.test(name) ? name : decodeURIComponent(name)
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
