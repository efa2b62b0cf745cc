/** @import { Report } from '../state/shapes.js' */

/** The most jobs whose steps a dry run of a cancellation lists, as in the command line. */
const mostPlans = 20

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
    isStopped: one.isStopped === true || next.isStopped === true,
    done: [...one.done, ...next.done],
    refused: [...one.refused, ...next.refused],
    migrated: [...(one.migrated ?? []), ...(next.migrated ?? [])],
    otherPlans: (one.otherPlans ?? 0) + (next.otherPlans ?? 0),
    // Each part of the action has read the plans of its first jobs.
    plans: [...(one.plans ?? []), ...(next.plans ?? [])].slice(0, mostPlans),
  }
}
