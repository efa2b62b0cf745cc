import type { Container } from '../engine/index.js'

/**
 * Returns the id of the document that a path names, or undefined if it names none. If the path names the
 * container by rids, it also names the document by rid.
 *
 * @param segments the decoded parts: `dbs`, database, `colls`, container, `docs`, document
 */
export function documentIdIn(segments: readonly string[], container: Container): string | undefined {
  const [, database, , name, kind, document] = segments
  if (kind !== 'docs' || document === undefined) return undefined
  const isByRids = database === container.databaseRid && name === container.rid
  return isByRids ? (container.idOf(document) ?? document) : document
}
