/** The service's limits that the engine enforces. */
export const limits = {
  documentBytes: 2 * 1024 * 1024,
  batchBytes: 2 * 1024 * 1024,
  batchOperations: 100,
  patchOperations: 10,
  computedProperties: 20,
  uniqueKeys: 10,
  uniqueKeyPaths: 16,
  /** The depth of nested objects and arrays, not counting the document itself. */
  nestingLevels: 128,
  idBytes: 1023,
  /** The length of the name of a database or container. */
  nameCharacters: 255,
  partitionKeyValueBytes: 2048,
  /** The size at which a page of documents is cut, however many documents were requested. */
  responseBytes: 4 * 1024 * 1024,
} as const
