/** @import { Report } from '../state/shapes.js' */

/**
 * Returns the report of two parts of an action.
 *
 * @param {Report} one
 * @param {Report} next
 * @returns {Report}
 */
export function together(one, next) {
  return {
    isDryRun: one.isDryRun,
    done: [...one.done, ...next.done],
    refused: [...one.refused, ...next.refused],
    migrated: [...(one.migrated ?? []), ...(next.migrated ?? [])],
    otherPlans: (one.otherPlans ?? 0) + (next.otherPlans ?? 0),
  }
}
