import type { DocumentVersion } from '../values/document-version.js'

/** The most documents in a list. A list of four takes a quarter of the memory of a map. */
const mostListed = 8

/** The documents of one partition key, in the order of creation: a list if they are few, or else a map by id. */
export type KeyDocuments = readonly DocumentVersion[] | Map<string, DocumentVersion>

export function documentIn(documents: KeyDocuments | undefined, id: string): DocumentVersion | undefined {
  if (documents instanceof Map) return documents.get(id)
  return documents?.find((one) => one.id === id)
}

/** Returns the documents with another one at the end, or with a new version in the place of another. */
export function withDocument(documents: KeyDocuments | undefined, version: DocumentVersion): KeyDocuments {
  if (documents === undefined) return [version]
  if (documents instanceof Map) return documents.set(version.id, version)
  const place = documents.findIndex(({ id }) => id === version.id)
  if (place >= 0) return documents.with(place, version)
  const list = documents.concat(version)
  return list.length > mostListed ? new Map(list.map((one) => [one.id, one])) : list
}

/** Returns the documents without one, or undefined if no others are left. */
export function withoutDocument(documents: KeyDocuments | undefined, id: string): KeyDocuments | undefined {
  if (documents instanceof Map) {
    documents.delete(id)
    return documents.size === 0 ? undefined : documents
  }
  const list = documents?.filter((one) => one.id !== id)
  return list?.length === 0 ? undefined : list
}

export function documentsIn(documents: KeyDocuments | undefined): Iterable<DocumentVersion> {
  return documents?.values() ?? []
}

export function countIn(documents: KeyDocuments | undefined): number {
  return documents instanceof Map ? documents.size : (documents?.length ?? 0)
}
