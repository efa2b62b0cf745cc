/** @import { Finding } from './shapes.js' */

/**
 * A finding, and every processor that it concerns.
 *
 * @typedef {Omit<Finding, 'processorName'> & { processorNames: string[] }} FindingGroup
 */

/**
 * Groups the findings that differ only in their processor.
 *
 * @param {readonly Finding[]} findings
 * @returns {FindingGroup[]}
 */
export function groupedFindings(findings) {
  const groups = /** @type {Map<string, FindingGroup>} */ (new Map())
  for (const { processorName, ...same } of findings) {
    const key = JSON.stringify([same.severity, same.rule, same.observation, same.advice])
    const names = processorName === null ? [] : [processorName]
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { ...same, processorNames: names })
    else group.processorNames.push(...names)
  }
  return [...groups.values()]
}
