import type { ChangeFeedMode } from '@azure/cosmos'

/** The values of the SDK's enum. The enum itself would load the whole SDK. */
export const feedModes = {
  latestVersion: 'Incremental Feed' as ChangeFeedMode.LatestVersion,
  allVersionsAndDeletes: 'Full-Fidelity Feed' as ChangeFeedMode.AllVersionsAndDeletes,
} as const
