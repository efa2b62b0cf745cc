import { folder, type PayloadStore } from '../../sas/index.js'
import { blobStorage } from './blob-storage.js'

/** Checks whether a text names a container of Azure Blob Storage. Any other text is the path of a folder. */
export function isBlobContainer(place: string): boolean {
  return /^https?:\/\//.test(place)
}

/** Returns the payload store at a place: the URL of a container of Azure Blob Storage, or a folder. */
export function payloadsAt(place: string): PayloadStore {
  return isBlobContainer(place) ? blobStorage({ url: place }) : folder(place)
}
