import type { Container } from '@azure/cosmos'
import { diagnose } from '../change-feed-processor/internal.js'
import { CosmosStateStore, unreadableJobs } from '../sas/internal.js'
import { circuitFindings } from './lacking/open-circuits.js'
import { standingFindings, standingIn } from './lacking/standing-work.js'
import {
  type HostFinding,
  type UnitSelection,
  expirationOf,
  looking,
  selectedUnits,
} from './unit-selection.js'

/**
 * Returns the problems of both containers, of the deployment units' leases, and of jobs.
 *
 * @throws UnitNotFound, or StoreUnavailable if nothing could be examined
 */
export function examine(selection: UnitSelection): Promise<readonly HostFinding[]> {
  return looking(selection, async ({ inspection, containers }) => {
    const isWhole = inspection.obstacles.length === 0
    const units =
      isWhole && selection.processorName !== undefined
        ? selectedUnits(inspection, selection.processorName)
        : inspection.units
    const found = diagnose({ ...inspection, units }, { leaseExpirationInterval: expirationOf(selection) })
    if (!isWhole) return found
    const standing = await standingIn({ inspection, containers }, selection)
    return [
      ...standingFindings(standing),
      ...(await unreadableFindings(containers.monitoredContainer)),
      ...found,
      ...circuitFindings({ ...inspection, units }, expirationOf(selection)),
    ]
  })
}

/** Returns findings about jobs that no instance can read. */
async function unreadableFindings(container: Container): Promise<readonly HostFinding[]> {
  const jobs = await unreadableJobs(new CosmosStateStore({ container }))
  return jobs.map(({ documentId, reason }) => ({
    rule: 'unreadableJob',
    severity: 'problem',
    processorName: null,
    observation: `document ${JSON.stringify(documentId)} cannot be read: ${reason}`,
    advice: 'the job stands still until you repair the document: docs/operate.md says how',
  }))
}
