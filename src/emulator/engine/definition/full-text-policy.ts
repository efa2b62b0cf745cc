import { isJsonObject, shown, type JsonObject } from '../values/json.js'
import { badRequest, notSupported } from '../values/refusal.js'

/** The languages of the service. The emulator knows stop words and word stems only for English. */
const languages = ['en-US', 'de-DE', 'es-ES', 'fr-FR', 'it-IT', 'pt-PT', 'pt-BR']
const english = ['en-us', '1033']

/** Checks the full-text policy of a container. Returns the paths that have a full-text index. */
export function parseFullTextPolicy(body: JsonObject): readonly string[] {
  const paths = parsePaths(body['fullTextPolicy'])
  const { indexingPolicy } = body
  const indexes = isJsonObject(indexingPolicy) ? (indexingPolicy['fullTextIndexes'] ?? []) : []
  if (!Array.isArray(indexes)) throw badRequest('The fullTextIndexes of an indexing policy must be an array.')
  return indexes.map((index: unknown, place) => indexedPath(index, place, paths))
}

function parsePaths(policy: unknown): readonly string[] {
  if (policy === undefined || policy === null) return []
  const { defaultLanguage, fullTextPaths = [] } = isJsonObject(policy) ? policy : { fullTextPaths: null }
  if (!Array.isArray(fullTextPaths)) throw invalidSyntax('its fullTextPaths must be an array')
  if (defaultLanguage !== undefined) assertLanguage(defaultLanguage)
  return fullTextPaths.map((entry: unknown) => {
    const { path, language } = isJsonObject(entry) ? entry : {}
    if (!isPath(path)) throw badRequest(`The Full Text Policy contains an invalid Path: ${shown(path)}.`)
    if (language === undefined) throw invalidSyntax(`the path ${path} has no language`)
    assertLanguage(language)
    return path
  })
}

function indexedPath(index: unknown, place: number, paths: readonly string[]): string {
  const path = isJsonObject(index) ? index['path'] : undefined
  if (path === undefined)
    throw badRequest(`Missing path in full-text index specification at index (${place}).`)
  if (!isPath(path)) {
    throw badRequest(
      `Full-text index specification at index (${place}) contains invalid path: ${JSON.stringify(path)}.`,
    )
  }
  if (paths.includes(path)) return path
  throw badRequest(
    `The path of the Full Text Index ${path} does not match the path specified in the Full Text Policy.`,
  )
}

function assertLanguage(language: unknown): void {
  const name = shown(language)
  if (english.includes(name.toLowerCase())) return
  if (languages.some((known) => known.toLowerCase() === name.toLowerCase())) {
    throw notSupported(`Full-text search in the language ${name}`, 'Use en-US.')
  }
  throw badRequest(
    `The Full Text Policy contains an unsupported language ${name}. Supported languages are: ` +
      `${languages.join(', ')}.`,
  )
}

/** The service supports no wildcards in these paths. */
function isPath(path: unknown): path is string {
  return typeof path === 'string' && /^(\/[^/*[\]?]+)+$/u.test(path)
}

function invalidSyntax(why: string): Error {
  return badRequest(`The Full Text Policy contains invalid syntax: ${why}.`)
}
