import { checkModule } from '../../../operations/index.js'
import { beginningInPartitions, jobKeyPrefix } from '../../../sas/internal.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { loadUserModule } from '../../input/user-module.js'

/** The module that may define a limit: from the option, or else from the configuration. */
export interface LimitModule {
  readonly option: string | undefined
  readonly configured: string | undefined
}

/**
 * Checks whether the workflows of a module share a limit of this key. Returns false if they do not, if no module is known,
 * or if the module of the configuration cannot be loaded, because an operator may be in a hurry.
 *
 * @throws CliError if the workflows have this limit only in each partition, or if the module of the option cannot be
 * loaded
 */
export async function isSharedLimit(key: string, { option, configured }: LimitModule): Promise<boolean> {
  const path = option ?? configured
  if (path === undefined) return false
  const loading = loadUserModule(path)
  const module = await (option === undefined ? loading.catch(() => null) : loading)
  if (module === null) return false
  const defined = checkModule(module).workflows.flatMap(({ limits, steps }) => [
    ...limits.map((limit) => ({ ...limit, key: `${jobKeyPrefix}${limit.key}` })),
    ...steps.flatMap((step) => step.limits),
  ])
  const ofKey = defined.filter((limit) => limit.key === key)
  if (ofKey.some(({ perPartition }) => !perPartition)) return true
  if (ofKey.length === 0) return false
  throw new CliError(
    `${path}: each partition has a limit ${JSON.stringify(key)} of its own, so the key alone would change nothing: name ` +
      `the limit of one partition, as in ${JSON.stringify(`${beginningInPartitions(key)}PARTITION-KEY`)}; ` +
      'to stop the work of all partitions, pause the agent or the workflow',
    exitCodes.usage,
  )
}
