import type { InProcessCosmos } from '../../../emulator/index.js'
import { openingData } from '../data-directory.js'

export type OpenedStore = InProcessCosmos

/** Opens the embedded store in this directory, and serves it to other processes of this machine. */
export async function openedStore(data: string): Promise<OpenedStore> {
  const { createInProcessCosmos } = await import('../../../emulator/index.js')
  const { serveDoor } = await import('../../../engine-ports/index.js')
  const embedded = await openingData(data, () => createInProcessCosmos({ dataDirectory: data }))
  serveDoor(embedded)
  return embedded
}
