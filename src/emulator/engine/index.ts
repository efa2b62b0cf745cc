/**
 * # Engine
 *
 * The engine is a Cosmos DB account. It is pure and synchronous: it has no clock, randomness,
 * socket or file of its own. Besides Node's own modules, it imports only `tinyqueue` from outside this
 * folder. HTTP, the SDK in process and the ports all use the engine, so that the rules are written only once.
 *
 * A **container** spreads its documents over **physical partitions** by the hash of their partition key. Each
 * partition has one **log**. Each document has one entry in the log, at the position of its last change. A
 * **transaction** takes the partition's next **LSN**. A single write is also a transaction. The documents of
 * a transaction are stored together and enter the log together. Reading the feed means reading the log after
 * an LSN.
 *
 * A container with a change feed policy also has a **history**, which contains every change within the
 * retention, including deletes.
 *
 * A version of a document is immutable and is kept as JSON text. A read returns the text, so no caller can modify
 * stored data. With a data directory, versions that are on disk may leave memory (`cold/cold-documents.ts`). A refused operation throws a `Refusal` with the status that the service would return.
 * The engine reports every change to a `Journal`, in one call per transaction.
 *
 * Start reading in `engine.ts`, and continue with `container.ts` and `transaction.ts`.
 */
export { CosmosEngine, type EngineOptions } from './engine.js'
export { Database } from './database.js'
export { Container } from './container.js'
export type { KeyPlace } from './transaction.js'
export { chapterSize } from './cold/chapter-size.js'
export type { ColdDocuments } from './cold/cold-documents.js'
export {
  blockOf,
  blocksInChapter,
  chapterOf,
  documentsPerBlock,
  type DocumentSource,
  type LoggedChange,
} from './cold/document-source.js'
export { expiresAt } from './expiry/expiry-queue.js'
export { DocumentVersion, sequenceAt, type DocumentHome } from './values/document-version.js'
export {
  originOf,
  rangeIdOf,
  type VersionFields,
  type VersionHead,
  type KeptDocument,
  type KeptText,
} from './values/version-fields.js'
export { partsOfEtag } from './values/etag.js'
export { defaultMemoryBytes, TextMemory } from './values/text-memory.js'
export { mergedInOrder } from './partitions/merged-in-order.js'
export { PhysicalPartition } from './partitions/physical-partition.js'
export { isJsonObject, parsedJson, type JsonObject } from './values/json.js'
export { contains, intersection, wholeKeySpace, type KeyRange } from './partitions/key-ranges.js'
export { cutEvenly, keySpaceOf, widthOf } from './partitions/key-space.js'
export {
  checkedPartitionKey,
  partitionKeyText,
  parsePartitionKey,
  parsePartitionKeyPrefix,
  partitionKeyOf,
  type PartitionKey,
  type PartitionKeyDefinition,
} from './partitions/partition-key.js'
export { isPartitionKeyValue, keyRangeOfPrefix } from './partitions/effective-partition-key.js'
export { deleteKey } from './delete-key.js'
export {
  keylessDefinition,
  parseContainerDefinition,
  type ContainerDefinition,
} from './definition/container-definition.js'
export {
  compositeIndexOf,
  isIndexed,
  type CompositeIndex,
  type IndexingPolicy,
  type OrderedPath,
} from './definition/indexing-policy.js'
export type { PathSteps } from './definition/index-path.js'
export {
  readChanges,
  resolveStart,
  type ChangeFeedPage,
  type ChangeFeedRequest,
  type ChangeFeedStart,
} from './change-feed.js'
export { assertNamedMatch, etagOfNamed, type NamedRecords } from './named-records.js'
export { offerResource } from './offers.js'
export {
  checkedThroughput,
  firstPartitionsFor,
  minimumThroughput,
  parseOfferContent,
  partitionsFor,
  type Throughput,
} from './values/throughput.js'
export { readAllVersions, type AllVersionsPage } from './all-versions-feed.js'
export { epkOf, type VersionChange } from './changes/version-change.js'
export { everyVersion, partitionsIn, scan, type ScanScope } from './scan.js'
export { parsePatchSteps, type Patch, type PatchStep } from './values/patch.js'
export type { BatchResult, ItemOperation, OperationResult, WriteConditions } from './values/operations.js'
export { badRequest, notFound, notSupported, Refusal, substatus, tooLarge } from './values/refusal.js'
export {
  defaultPageSize,
  listCharge,
  lookupCharge,
  queryCharge,
  readCharge,
  totalCharge,
} from './values/charges.js'
export { assertShape } from './values/value-shape.js'
export type { WriteListener } from './write-watch.js'
export { limits } from './values/limits.js'
export type { DocumentFollower, DocumentIndexes } from './document-indexes.js'
export { noJournal } from './changes/journal.js'
export type {
  ContainerRecord,
  DatabaseRecord,
  HistoryFloor,
  Journal,
  JournalContents,
  JournalRecord,
  NamedRecord,
  OfferRecord,
  PartitionRecord,
  PermissionRecord,
  RecoveredDocument,
} from './changes/journal.js'
