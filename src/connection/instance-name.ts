import { hostname } from 'node:os'
import type { Random } from '../platform/index.js'

/**
 * Returns a unique name for this process. On App Service, the instance id names the machine. The name ends
 * with random characters, because the old and the new process of an app may run on the same machine for some
 * time.
 */
export function instanceNameOf(
  random: Random,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const nonce = random.id().replaceAll('-', '').slice(0, 6)
  const { WEBSITE_SITE_NAME: site, WEBSITE_INSTANCE_ID: machine, WEBSITE_SLOT_NAME: slot } = environment
  const parts =
    site !== undefined && machine !== undefined
      ? [site, slot ?? 'production', machine.slice(0, 8), nonce]
      : [hostname(), String(process.pid), nonce]
  return parts
    .join('-')
    .replace(/[^\x21-\x7e]/g, '_')
    .slice(-100)
}
