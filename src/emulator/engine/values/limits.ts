/** Limits of the service that the engine keeps. */
export const limits = {
  documentBytes: 2 * 1024 * 1024,
  batchBytes: 2 * 1024 * 1024,
  batchOperations: 100,
  patchOperations: 10,
  /** Of a container. */
  uniqueKeys: 10,
  uniqueKeyPaths: 16,
  /** Objects and arrays within each other, the document itself not counted. */
  nestingLevels: 128,
  idBytes: 1023,
  /** Of databases and containers. */
  nameCharacters: 255,
  partitionKeyValueBytes: 2048,
  /** A page of documents is cut here, however many documents were asked for. */
  responseBytes: 4 * 1024 * 1024,
} as const
