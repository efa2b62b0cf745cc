import { setMaxListeners } from 'node:events'
import { createServer, type Server } from 'node:http'
import { systemClock, type Clock } from 'stepward'
import { FaultInjector, faultLevels, type FaultLevel, type FaultOptions } from './faults.js'
import { Inventory } from './inventory.js'
import { Ledger, type LedgerReport, type ReplyTaken } from './ledger.js'
import { Operations } from './operations.js'
import { Payments } from './payments.js'
import { serveRequest, type Serving } from './serve-request.js'
import { Shipping } from './shipping.js'
import { Shop } from './shop.js'
import type { StockFile } from './stock-file.js'

/** Options of {@link startServices}. */
export interface ServicesOptions {
  /** The port on the loopback address. Default 0, which means any free port. */
  readonly port?: number
  /** The initial stock. Default: no product is listed. */
  readonly stock?: StockFile
  /** The number of units of a product that is not in `stock`. Default 500. */
  readonly unlistedUnits?: number
  /** A predefined level, or custom shares. Default `some`. */
  readonly faults?: FaultLevel | FaultOptions
  /** The seed that decides the faults of each key. Default 1. */
  readonly seed?: number
  /** The clock of the services. Default: the machine's clock. */
  readonly clock?: Clock
}

/** The running services. */
export interface Services {
  /** The URL of the services, without a trailing slash. */
  readonly url: string
  /** Returns the same report as `GET /ledger`. */
  ledger(): LedgerReport
  lastReply(orderId: string): ReplyTaken | undefined
  /** Cuts every connection, including hanging ones, and frees the port. */
  close(): Promise<void>
}

const loopback = '127.0.0.1'

/** Starts inventory, payments, shipping and the shop on one port. Rejects if the port is in use. */
export async function startServices(options: ServicesOptions = {}): Promise<Services> {
  const clock = options.clock ?? systemClock
  const ledger = new Ledger(clock)
  const closing = new AbortController()
  // Every running request listens to this signal. By default, Node reports more than ten listeners as a leak.
  setMaxListeners(0, closing.signal)
  const serving: Serving = {
    clock,
    ledger,
    faults: faultInjectorOf(options),
    operations: new Operations({
      inventory: new Inventory(ledger, options.stock ?? [], options.unlistedUnits ?? 500),
      payments: new Payments(ledger),
      shipping: new Shipping(ledger),
      shop: new Shop(ledger),
    }),
    closing: closing.signal,
  }
  const server = createServer((request, response) => {
    serveRequest(serving, request, response).catch(() => response.destroy())
  })
  // If the server closed idle connections, it might close one just when the client uses it again. No seed
  // could repeat that fault.
  server.keepAliveTimeout = 0
  const port = await listen(server, options.port ?? 0)
  return {
    url: `http://${loopback}:${port}`,
    ledger: () => ledger.report(),
    lastReply: (orderId) => ledger.lastReply(orderId),
    close: () => {
      closing.abort()
      return close(server)
    },
  }
}

function faultInjectorOf({ seed = 1, faults = 'some' }: ServicesOptions): FaultInjector {
  return new FaultInjector(seed, typeof faults === 'string' ? { shares: faultLevels[faults] } : faults)
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, loopback, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(address !== null && typeof address === 'object' ? address.port : port)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeAllConnections()
  })
}
