import type { Container } from '@azure/cosmos'

const minuteMs = 60_000

/**
 * Lets a container keep all versions of its documents for a time, so that the history of a job can be read. Versions
 * that were replaced before are not known. An account on Azure keeps them by its continuous backup instead.
 *
 * @throws RangeError if the time is not a whole number of minutes
 */
export async function keepVersions(container: Container, retentionMs: number): Promise<void> {
  if (retentionMs < minuteMs || retentionMs % minuteMs !== 0)
    throw new RangeError(
      `the time to keep versions is ${retentionMs} ms; it must be a whole number of minutes, such as 7d`,
    )
  const { resource } = await container.read()
  if (resource === undefined)
    throw new Error(`container ${container.id} does not exist; run stepward provision first`)
  const changeFeedPolicy = { retentionDuration: retentionMs / minuteMs }
  await container.replace({ ...resource, changeFeedPolicy })
}
