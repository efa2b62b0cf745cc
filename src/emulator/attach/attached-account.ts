import { realpathSync } from 'node:fs'
import { get, Agent as HttpAgent, type ClientRequest } from 'node:http'
import { Agent } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { CosmosClient } from '@azure/cosmos'
import { parsedJson } from '../engine/values/json.js'
import { isAnswered, lastHolder, socketPathOf } from '../durability/directory-lock.js'

/** If the other process sends nothing for this time although an answer is due, it counts as lost. */
const longestSilenceMs = 10_000

/** An account that another process of this machine has open. */
export interface AttachedAccount {
  /** Returns a new client of the unmodified SDK. */
  client(): CosmosClient
  /**
   * Opens a connection that uses another protocol than HTTP. Rejects if no process has the account open. Resolves
   * with null if that process does not serve this version of the protocol.
   *
   * @internal
   */
  dial(protocol: string, parameters: Readonly<Record<string, string>>): Promise<Socket | null>
  /**
   * Says that this process no longer needs the account.
   *
   * @internal
   */
  release(): void
}

/**
 * Returns the account whose data directory another process has open, or null if no process has it open. The
 * requests go through the socket that locks the directory, so only users who may enter the directory can make
 * them. The clients have the account's address, because the ids of leases contain its host name.
 */
export async function attachAccount(dataDirectory: string): Promise<AttachedAccount | null> {
  // Users compare the classes of the SDK's objects, so they get the copy that they import.
  return attachedWith(dataDirectory, async () => (await import('@azure/cosmos')).CosmosClient)
}

/** Does the same as {@link attachAccount}, with clients of the given class. */
export async function attachedWith(
  dataDirectory: string,
  clientClass: () => Promise<typeof CosmosClient>,
): Promise<AttachedAccount | null> {
  const socketPath = socketIn(dataDirectory)
  if (socketPath === null || !(await isAnswered(socketPath))) return null
  // The connection stays open for a while. It shows the other process that its account is in use.
  const presence = new HttpAgent({ keepAlive: true })
  const endpoint = await endpointAt(socketPath, presence).catch((error: unknown) => {
    presence.destroy()
    if (hasEnded(error)) return null
    throw error
  })
  if (endpoint === null) return null
  // The SDK loads slowly, so commands that do not attach must not load it.
  const Client = await clientClass()
  const agent = new SocketAgent(socketPath)
  const connectionPolicy = { enableBackgroundEndpointRefreshing: false }
  return {
    client: () => new Client({ endpoint, agent, connectionPolicy }),
    dial: (protocol, parameters) => dialed(socketPath, protocol, parameters),
    release: () => {
      presence.destroy()
      agent.destroy()
    },
  }
}

export { lastHolder }

/** Checks whether a process has the account in this data directory open. */
export async function isAccountOpen(dataDirectory: string): Promise<boolean> {
  const socketPath = socketIn(dataDirectory)
  return socketPath !== null && (await isAnswered(socketPath))
}

/**
 * Resolves when the process that has the account in this data directory open closes it or ends, or when the signal aborts. May
 * resolve earlier, because that process closes connections without requests. Makes one connection, even if the process is paused.
 */
export function accountClosed(dataDirectory: string, signal: AbortSignal): Promise<void> {
  const socketPath = socketIn(dataDirectory)
  if (socketPath === null || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const end = (): void => {
      signal.removeEventListener('abort', end)
      socket.destroy()
      resolve()
    }
    socket.on('error', end).on('close', end).resume()
    signal.addEventListener('abort', end)
  })
}

/**
 * Connects every request to a socket, without TLS. With an agent of its own, the SDK accepts only addresses
 * with https.
 */
class SocketAgent extends Agent {
  constructor(private readonly socketPath: string) {
    super({ keepAlive: true })
  }

  override createConnection(): Socket {
    return connect(this.socketPath)
  }
}

function socketIn(dataDirectory: string): string | null {
  try {
    return socketPathOf(realpathSync(dataDirectory))
  } catch {
    return null
  }
}

/** Reads the account document, and returns the address in it. */
function endpointAt(socketPath: string, agent: HttpAgent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ socketPath, path: '/', agent, timeout: longestSilenceMs }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const account = parsedJson(Buffer.concat(chunks).toString()) as AccountDocument | undefined
        const address = account?.writableLocations?.[0]?.databaseAccountEndpoint
        if (address === undefined)
          reject(new Error(`${socketPath} belongs to an emulator of another version`))
        else resolve(address)
      })
      response.on('error', reject)
    })
    endInSilence(request)
    request.on('error', reject)
  })
}

/** Checks whether an error says that the other process ended before it answered. */
function hasEnded(error: unknown): boolean {
  const { code = '' } = error as { readonly code?: string }
  return ['ECONNRESET', 'ECONNREFUSED', 'ENOENT', 'EPIPE'].includes(code)
}

/** Ends a request with an error if the other process hangs. The operating system accepts connections even for such a process. */
function endInSilence(request: ClientRequest): void {
  request.on('timeout', () => {
    const message = `the process that has the store open has not answered for ${longestSilenceMs} ms`
    request.destroy(Object.assign(new Error(message), { name: 'StoreSilent' }))
  })
}

/** Asks for the protocol, and returns the connection if the answer is yes. */
function dialed(
  socketPath: string,
  protocol: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const path = `/?${new URLSearchParams(parameters).toString()}`
    const headers = { connection: 'Upgrade', upgrade: protocol }
    const request = get({ socketPath, path, headers, timeout: longestSilenceMs }, (response) => {
      response.resume()
      resolve(null)
    })
    endInSilence(request)
    request.on('error', reject)
    request.on('upgrade', (_response, socket, head) => {
      // From now on, the protocol itself notices if the other process hangs.
      socket.setTimeout(0)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
  })
}

interface AccountDocument {
  readonly writableLocations?: readonly { readonly databaseAccountEndpoint?: string }[]
}
