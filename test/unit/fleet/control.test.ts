import { createServer, Socket, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { askFleet, type FleetRequest } from '../../../src/fleet/control.js'
import { FleetNotRunning } from '../../../src/fleet/errors.js'
import { socketPath } from '../../../src/fleet/state-directory.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

describe('a request to a fleet that accepts connections and does not answer', () => {
  const sockets = new Set<Socket>()
  let server: Server
  let path: string
  let timeouts: MockInstance<Socket['setTimeout']>

  beforeEach(async () => {
    timeouts = vi.spyOn(Socket.prototype, 'setTimeout')
    path = socketPath(scratchDirectory())
    server = createServer({ allowHalfOpen: true }, (socket) => void sockets.add(socket))
    await new Promise<void>((resolve) => void server.listen(path, resolve))
  })
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    server.close()
    timeouts.mockRestore()
  })

  it.each<FleetRequest>([
    { command: 'status' },
    { command: 'counts' },
    { command: 'rebalance' },
    { command: 'scale', role: 'agents', count: 2 },
  ])('fails after 30 s: %j', async (request) => {
    const asked = askFleet(path, request)
    const failed = expect(asked).rejects.toThrow(FleetNotRunning)
    const [ms, onTimeout] = timeouts.mock.calls[0] ?? []
    expect(ms).toBe(30_000)
    onTimeout?.()
    await failed
  })

  it('waits for the end of the work under way if the fleet must stop', async () => {
    const asked = askFleet(path, { command: 'stop' })
    expect(timeouts).not.toHaveBeenCalled()
    await expect.poll(() => sockets.size, { timeout: 60_000 }).toBe(1)
    for (const socket of sockets) socket.end('{"kind":"refused","why":"late"}')
    expect(await asked).toEqual({ kind: 'refused', why: 'late' })
  })
})
