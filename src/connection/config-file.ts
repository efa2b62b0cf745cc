import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { ConfigurationInvalid } from './errors.js'
import { roles } from './role.js'

const ms = z.number().positive()

const configSchema = z.strictObject({
  endpoint: z.string().exactOptional(),
  key: z.string().exactOptional(),
  connectionString: z.string().exactOptional(),
  database: z.string().exactOptional(),
  container: z.string().exactOptional(),
  leaseContainer: z.string().exactOptional(),
  /** The roles that `start` runs when no --role is given. */
  roles: z
    .array(z.enum([...roles, 'all']))
    .min(1)
    .exactOptional(),
  /** The port for health and metrics. */
  port: z.number().int().min(0).max(65_535).exactOptional(),
  /** The path of a module that exports agents and workflows, relative to this file. */
  module: z.string().exactOptional(),
  unitPrefix: z.string().exactOptional(),
  slots: z.number().int().positive().exactOptional(),
  sweepIntervalMs: ms.exactOptional(),
  deadlineGraceMs: z.number().nonnegative().exactOptional(),
  alertWebhook: z.string().exactOptional(),
  alertCallsPerMinute: z.number().int().positive().exactOptional(),
  remindAfterMs: ms.exactOptional(),
  sendTimeoutMs: ms.exactOptional(),
  timing: z
    .strictObject({
      leaseAcquireIntervalMs: ms.exactOptional(),
      leaseRenewIntervalMs: ms.exactOptional(),
      leaseExpirationIntervalMs: ms.exactOptional(),
      checkpointIntervalMs: z.number().nonnegative().exactOptional(),
      pollIntervalMs: z.union([ms, z.strictObject({ min: ms, max: ms })]).exactOptional(),
      stopTimeoutMs: ms.exactOptional(),
    })
    .exactOptional(),
})

/** The content of `stepward.config.json` or of `stepward.config.js` (default export). */
export type ConfigFile = z.infer<typeof configSchema>

const defaultNames = ['stepward.config.js', 'stepward.config.json']

/**
 * Reads the configuration file: `path` if given, or else one of the default names in `directory`. Returns no
 * settings if there is no default file.
 *
 * @throws ConfigurationInvalid naming the file and every value that is wrong in it
 */
export async function readConfigFile(path: string | undefined, directory: string): Promise<ConfigFile> {
  for (const name of path === undefined ? defaultNames : [path]) {
    const file = resolve(directory, name)
    const content = await load(file)
    if (content === undefined) {
      if (path !== undefined) throw new ConfigurationInvalid([`configuration file ${path} does not exist`])
      continue
    }
    const { module, ...config } = checked(content, name)
    return module === undefined ? config : { ...config, module: resolve(dirname(file), module) }
  }
  return {}
}

async function load(file: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    return undefined
  }
  if (!file.endsWith('.json')) {
    const loaded = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
    return loaded.default ?? null
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new ConfigurationInvalid([`${file} is not JSON: ${String(error)}`])
  }
}

function checked(content: unknown, name: string): ConfigFile {
  const read = configSchema.safeParse(content)
  if (read.success) return read.data
  throw new ConfigurationInvalid(
    read.error.issues.map((issue) => `${name}: ${issue.path.join('.') || 'the file'}: ${issue.message}`),
  )
}
