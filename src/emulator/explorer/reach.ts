import { isIP } from 'node:net'

/**
 * The addresses at which the explorer may be opened: none, those of this machine only, or every IP address.
 */
export type ExplorerReach = 'none' | 'loopback' | 'addresses'

/**
 * Decides where the explorer may be opened.
 *
 * @param host the address on which the server listens
 * @param isWanted the choice of the user; undefined for the default
 */
export function explorerReach(host: string, isWanted: boolean | undefined): ExplorerReach {
  if (isWanted === false) return 'none'
  if (isLoopback(host)) return 'loopback'
  return isWanted === true ? 'addresses' : 'none'
}

/**
 * Checks whether a browser may open the explorer under this `Host` header. Another site can make its own name
 * point to this machine, but it cannot change where an IP address or `localhost` points.
 */
export function isReachable(reach: ExplorerReach, hostHeader: string): boolean {
  const name = hostName(hostHeader)
  return isLoopback(name) || (reach === 'addresses' && isIP(name) !== 0)
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/** Returns the name in a `Host` header, in lower case, without the port and the brackets of IPv6. */
function hostName(hostHeader: string): string {
  return hostHeader
    .toLowerCase()
    .replace(/:\d*$/u, '')
    .replace(/^\[(.*)\]$/u, '$1')
}
