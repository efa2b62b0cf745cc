import type { Container } from './container.js'
import { limits } from './values/limits.js'
import type { PartitionKey } from './partitions/partition-key.js'
import { Transaction } from './transaction.js'

/** Deletes every document of a partition key immediately. The service deletes them in the background. */
export function deleteKey(container: Container, key: PartitionKey): void {
  const { partition, keyText } = container.locate(key)
  const versions = [...partition.documentsOf(keyText)].filter((version) => !container.isExpired(version))
  for (let from = 0; from < versions.length; from += limits.batchOperations) {
    const transaction = new Transaction(container, key)
    for (const { id } of versions.slice(from, from + limits.batchOperations)) {
      transaction.execute({ kind: 'delete', id })
    }
    transaction.commit()
  }
}
