import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ContainerReplacedError } from '../../../src/change-feed-processor/index.js'
import { Frames } from '../../../src/engine-ports/door/door-frames.js'
import { enginePorts } from '../../../src/engine-ports/index.js'
import { openDoor, watchThroughDoor } from '../../../src/engine-ports/internal.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { attachAccount } from '../../../src/emulator/attach/attached-account.js'
import { connect, defineAgent, defineWorkflow, startHost } from '../../../src/index.js'
import { seededRandom, systemClock, VirtualClock } from '../../../src/platform/index.js'
import { jobDocumentId } from '../../../src/sas/model/document-ids.js'
import { withDerivedState } from '../../../src/sas/model/process-state.js'
import { StoreUnavailable } from '../../../src/sas/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { aJob } from '../../support/a-job.js'
import { portsThrough, servedDoor } from '../../support/local-door.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const create = (id: string, text = 'first') => ({
  kind: 'create' as const,
  document: { id, pk: 'p', text },
})

function account(): InProcessCosmos {
  const cosmos = createInProcessCosmos({ random: seededRandom(1) })
  cosmos.engine.createDatabase('stepward')
  const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
  cosmos.engine.createContainer('stepward', { id: 'state', partitionKey, defaultTtl: -1 })
  cosmos.engine.createContainer('stepward', { id: 'leases', partitionKey: { paths: ['/id'] } })
  return cosmos
}

function anEndedJob(jobId: string) {
  const job = aJob()
  const steps = { only: { state: 'Processed' as const, dispatch: 1 } }
  const endedAt = new Date(0).toISOString()
  const ended = { ...job, currentState: job.targetState, steps, endedAt, endedAtMs: 1 }
  return withDerivedState({ ...ended, id: jobDocumentId(jobId), pk: jobId, jobId })
}

/** A door with an attached process, and the state store on the engine beside it. */
async function attached() {
  const cosmos = account()
  const door = await servedDoor(cosmos)
  const ports = await portsThrough(door)
  onTestFinished(() => {
    ports.close()
  })
  return { door, ports, beside: enginePorts(cosmos.engine, 'stepward').stateStore('state') }
}

const [newest] = [<T>(all: readonly T[]): T => all[all.length - 1] as T]

/** Gathers reports. `next` resolves with the next one. */
function reports<T>() {
  const all: T[] = []
  let hear = (): void => undefined
  return {
    add: (one: T): void => {
      all.push(one)
      hear()
    },
    next: async (): Promise<T> => {
      while (all.length === 0) await new Promise<void>((resolve) => (hear = resolve))
      return all.shift() as T
    },
  }
}

describe('the local door', () => {
  describe('to a store whose container is another one than before', () => {
    const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
    const replace = ({ engine }: InProcessCosmos): void => {
      engine.deleteContainer('stepward', 'state')
      engine.createContainer('stepward', { id: 'state', partitionKey })
    }

    it('fails all calls after a lost connection, and carries out none of them', async () => {
      const cosmos = account()
      const door = await servedDoor(cosmos)
      const ports = await portsThrough(door)
      await ports.state.apply('p', [create('a')])
      replace(cosmos)
      const [lost] = door.dialed.map((socket) => once(socket, 'close'))
      newest(door.accepted).destroy()
      await lost
      await expect(ports.state.apply('p', [create('b')])).rejects.toThrow(ContainerReplacedError)
      await expect(ports.leases('unit', 'agents').list()).rejects.toThrow(ContainerReplacedError)
      const beside = enginePorts(cosmos.engine, 'stepward').stateStore('state')
      expect(await beside.read({ pk: 'p', id: 'b' })).toBeNull()
      ports.close()
    })

    it('fails calls on the same connection, and carries out none of them', async () => {
      const cosmos = account()
      const ports = await portsThrough(await servedDoor(cosmos))
      await ports.state.apply('p', [create('a')])
      replace(cosmos)
      expect(await ports.state.apply('p', [create('b')])).toMatchObject({ kind: 'unknownOutcome' })
      const beside = enginePorts(cosmos.engine, 'stepward').stateStore('state')
      expect(await beside.read({ pk: 'p', id: 'b' })).toBeNull()
      await expect(ports.state.read({ pk: 'p', id: 'a' })).rejects.toThrow(ContainerReplacedError)
      ports.close()
    })

    it('fails calls also if there was no container when the connection opened', async () => {
      const cosmos = account()
      cosmos.engine.deleteContainer('stepward', 'state')
      const door = await servedDoor(cosmos)
      const ports = await portsThrough(door)
      cosmos.engine.createContainer('stepward', { id: 'state', partitionKey })
      await ports.state.apply('p', [create('a')])
      replace(cosmos)
      newest(door.accepted).destroy()
      await expect
        .poll(() => ports.state.read({ pk: 'p', id: 'a' }).catch(String))
        .toContain('was deleted and created again')
      ports.close()
    })
  })

  it('reports the charge of each call to the process that made it, with the part of the process', async () => {
    const door = await servedDoor(account())
    const charges: string[] = []
    const ports = await portsThrough(door, {
      onCharge: (operation, _charge, user = 'unknown') => void charges.push(`${user} ${operation}`),
    })
    await ports.state.apply('p', [create('a')])
    await ports.stateOf('scheduler').read({ pk: 'p', id: 'a' })
    await ports.stateOf('client').read({ pk: 'p', id: 'a' })
    await ports.leases('unit', 'agents').list()
    expect(charges).toEqual([
      'unknown state.create',
      'scheduler state.read',
      'client state.read',
      'agents lease.list',
    ])
    ports.close()
  })

  it('reports the writes of others, and not those of the same process', async () => {
    const { ports, beside } = await attached()
    const heard = reports<string | null>()
    ports.watch(heard.add)
    await ports.state.apply('p', [create('own')])
    await beside.apply('p', [create('other')])
    expect(await heard.next()).toBe('0')
    await ports.state.apply('p', [create('own again')])
    await beside.apply('q', [{ kind: 'create', document: { id: 'last', pk: 'q' } }])
    expect(await heard.next()).toBe('0')
  })

  it('says that writes may have been missed when the connection was lost, and reports again', async () => {
    const { door, ports, beside } = await attached()
    const heard = reports<string | null>()
    ports.watch(heard.add)
    await ports.state.read({ pk: 'p', id: 'a' })
    newest(door.accepted).destroy()
    expect(await heard.next()).toBeNull()
    await ports.state.read({ pk: 'p', id: 'a' })
    await beside.apply('p', [create('other')])
    expect(await heard.next()).toBe('0')
  })

  it('does not know the outcome of a write whose answer was lost after the commit (F-X27)', async () => {
    const { door, ports, beside } = await attached()
    await ports.state.read({ pk: 'p', id: 'a' })
    const socket = newest(door.accepted)
    // The answer to the write is the first frame from now on.
    socket.write = () => {
      socket.destroy()
      return true
    }
    expect(await ports.state.apply('p', [create('a')])).toMatchObject({ kind: 'unknownOutcome' })
    expect(await beside.read({ pk: 'p', id: 'a' })).toMatchObject({ text: 'first' })
    const again = await ports.state.apply('p', [create('a')])
    expect(again).toEqual({ kind: 'conflict', id: 'a', reason: 'exists' })
  })

  it('is closed for a process that is cut off in a frame, which writes nothing (F-X26)', async () => {
    const { door, ports, beside } = await attached()
    const other = await portsThrough(door)
    await other.state.read({ pk: 'p', id: 'a' })
    const cut = newest(door.dialed)
    const body = Buffer.from(JSON.stringify([[7, 'apply', 'p', [create('cut')]]]))
    const header = Buffer.alloc(4)
    header.writeUInt32LE(body.length)
    const closed = new Promise((resolve) => newest(door.accepted).once('close', resolve))
    cut.write(Buffer.concat([header, body.subarray(0, body.length - 1)]))
    cut.end()
    await closed
    expect(await beside.read({ pk: 'p', id: 'cut' })).toBeNull()
    expect(await ports.state.read({ pk: 'p', id: 'cut' })).toBeNull()
    other.close()
  })

  it('fails reads under way as a store that is not available, and opens a new connection for the next (F-X26)', async () => {
    const { door, ports } = await attached()
    await ports.state.read({ pk: 'p', id: 'a' })
    const socket = newest(door.accepted)
    socket.write = () => {
      socket.destroy()
      return true
    }
    await expect(ports.state.read({ pk: 'p', id: 'a' })).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await ports.state.read({ pk: 'p', id: 'a' })).toBeNull()
    expect(door.accepted.length).toBe(2)
  })

  it('says that nothing was written if no process has the store open (F-X28)', async () => {
    const { door, ports } = await attached()
    await ports.state.read({ pk: 'p', id: 'a' })
    const lost = new Promise((resolve) => newest(door.dialed).once('close', resolve))
    await door.close()
    await lost
    const write = ports.state.apply('p', [create('a')])
    await expect(write).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(write).rejects.toThrow('no process has the embedded store open')
  })

  it.each([
    ['a frame that is too large', Buffer.from([0xff, 0xff, 0xff, 0x7f])],
    ['a frame that is not JSON', Buffer.from([2, 0, 0, 0, 0x7b, 0x7b])],
    ['a method that does not exist', Buffer.from('\u0011\0\0\0[[1,"toString",1]]', 'latin1')],
  ])('is closed for a process that sends %s, and stays open for others (F-X29)', async (_what, bytes) => {
    const { door, ports } = await attached()
    const other = await portsThrough(door)
    const closed = new Promise((resolve) => newest(door.accepted).once('close', resolve))
    newest(door.dialed).write(bytes)
    await closed
    expect(await ports.state.read({ pk: 'p', id: 'a' })).toBeNull()
    other.close()
  })

  it('counts a store that hangs as lost after ten seconds (F-X28)', async () => {
    const door = await servedDoor(account())
    const clock = new VirtualClock()
    const ports = await portsThrough(door, { clock })
    newest(door.accepted).removeAllListeners('data').pause()
    const read = ports.state.read({ pk: 'p', id: 'a' })
    const failed = expect(read).rejects.toBeInstanceOf(StoreUnavailable)
    await clock.advance(10_000)
    await failed
    ports.close()
  })

  it('is not used by a process of another version (F-X28)', async () => {
    const door = await servedDoor(account())
    const older = {
      dial: (_name: string, parameters: Record<string, string>) => door.dial('older/1', parameters),
    }
    const names = { database: 'stepward', container: 'state', leaseContainer: 'leases', accountHost: 'a' }
    expect(await openDoor(older, { names, clock: systemClock, onCharge: () => undefined })).toBeNull()
  })

  it('answers a process that sends and asks for more than both sockets hold', async () => {
    const { ports } = await attached()
    const text = 'x'.repeat(400_000)
    const ids = Array.from({ length: 40 }, (_, index) => `large-${index}`)
    await Promise.all(ids.map((id) => ports.state.apply('p', [create(id, text)])))
    const [reads] = await Promise.all([
      Promise.all(ids.map((id) => ports.state.read({ pk: 'p', id }))),
      Promise.all(ids.map((id) => ports.state.apply('p', [create(`${id} again`, text)]))),
    ])
    expect(reads.map((read) => String(read?.['text']).length)).toEqual(ids.map(() => text.length))
  })

  it('answers each read and reports each end once, although the process could not send for a while (F-X29)', async () => {
    const { ports, beside } = await attached()
    const jobs = Array.from({ length: 40 }, (_, index) => anEndedJob(`job-${index}`))
    for (const job of jobs) await beside.apply(job.pk, [{ kind: 'create', document: job }])
    const text = 'x'.repeat(400_000)
    // These writes fill the socket, so all that follows in this turn leaves in one frame.
    const writes = Array.from({ length: 16 }, (_, index) =>
      ports.state.apply('p', [create(`l-${index}`, text)]),
    )
    const ends = jobs.map(
      ({ pk, id, jobId }) =>
        new Promise((resolve) =>
          ports.endings.subscribe({ pk, id, jobId }, ({ job }) => {
            resolve(job.jobId)
          }),
        ),
    )
    const reads = jobs.map(({ pk, id }) => ports.state.read({ pk, id }))
    await Promise.all(writes)
    expect(await Promise.all(ends)).toEqual(jobs.map(({ jobId }) => jobId))
    expect((await Promise.all(reads)).map((read) => read?.['jobId'])).toEqual(jobs.map(({ jobId }) => jobId))
  })

  it.each([
    ['the store reads no more', false],
    ['the attached process still reads', true],
  ])('keeps what the other side does not read; %s until it does (F-X29)', async (_what, readsWhileFull) => {
    const socket = new PassThrough()
    let sent = 0
    const frames = new Frames(socket, {
      maxBytes: 1e6,
      readsWhileFull,
      onMessages: () => undefined,
      onSent: () => {
        sent += 1
      },
      onEnd: () => undefined,
    })
    const written: string[] = []
    let kept = 0
    Object.defineProperty(socket, 'writableLength', { get: () => kept })
    socket.write = (chunk: Buffer) => {
      written.push(chunk.subarray(4).toString())
      if (written.length === 1) kept = chunk.length
      return written.length > 1
    }
    const send = async (message: string): Promise<void> => {
      frames.send(JSON.stringify(message))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await send('a')
    await send('b')
    await send('c')
    expect(written).toEqual(['["a"]'])
    expect([frames.unsentBytes, sent]).toEqual([kept + '"b""c"'.length, 0])
    expect(socket.isPaused()).toBe(!readsWhileFull)
    kept = 0
    socket.emit('drain')
    expect(written).toEqual(['["a"]', '["b","c"]'])
    expect([frames.unsentBytes, sent]).toEqual([0, 1])
    expect(socket.isPaused()).toBe(false)
    frames.end(null)
  })

  it('sends a frame of 32 messages before the turn ends, even if the socket asks for a pause', async () => {
    const socket = new PassThrough()
    let isSending = true
    const frames = new Frames(socket, {
      maxBytes: 1e6,
      readsWhileFull: true,
      onMessages: () => undefined,
      // A call of `onSent` in `send` might send a message again, because the caller of `send` has not noted it yet.
      onSent: () => expect(isSending).toBe(false),
      onEnd: () => undefined,
    })
    const written: unknown[] = []
    socket.write = (chunk: Buffer) => {
      written.push(JSON.parse(chunk.subarray(4).toString()))
      // The other side took the whole frame, but it was a large one.
      return false
    }
    for (let message = 0; message < 65; message += 1) frames.send(String(message))
    const full = [0, 32].map((from) => Array.from({ length: 32 }, (_, at) => from + at))
    expect(written).toEqual(full)
    isSending = false
    await new Promise((resolve) => setImmediate(resolve))
    expect(written).toEqual([...full, [64]])
    frames.end(null)
  })
})

const greeter = defineAgent('greeter', { greet: async (input: { name: string }) => `hello ${input.name}` })
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name }, { completeWithin: '30s' })
})

type Recorders = [TelemetryRecorder, TelemetryRecorder, TelemetryRecorder]

describe('a client and a host that are attached to a data directory', () => {
  it('run jobs to their ends, and the client hears of each end', async () => {
    const dataDirectory = scratchDirectory()
    const cosmos = createInProcessCosmos({ dataDirectory })
    const first = await connect({ embedded: cosmos })
    const store = await attachAccount(dataDirectory)
    if (store === null) throw new Error('no process has the directory open')
    const host = await startHost({ embedded: store, agents: [greeter] })
    const client = await connect({ embedded: store })
    const ids = Array.from({ length: 20 }, (_, index) => `job-${index}`)
    const results = ids.map(async (jobId) => {
      const job = await client.submit(greeting, { name: jobId }, { jobId })
      return job.result()
    })
    expect(await Promise.all(results)).toEqual(ids.map((id) => ({ greet: `hello ${id}` })))
    client.close()
    await host.stop()
    first.close()
    await cosmos.close()
  })

  it('begin a job with its submission while schedulers and agents say that they take work (R12)', async () => {
    const dataDirectory = scratchDirectory()
    const cosmos = createInProcessCosmos({ dataDirectory })
    const first = await connect({ embedded: cosmos })
    const store = await attachAccount(dataDirectory)
    if (store === null) throw new Error('no process has the directory open')
    const [inHost, inClient, inStore] = [1, 2, 3].map(() => new TelemetryRecorder()) as Recorders
    const host = await startHost({ embedded: store, agents: [greeter], telemetry: inHost })
    await inHost.waitFor('lease.acquired', () => inHost.of('lease.acquired').length === 4)
    const client = await connect({ embedded: store, telemetry: inClient })
    const beside = await connect({ embedded: cosmos, telemetry: inStore })
    const run = async (by: typeof client, jobId: string): Promise<unknown> =>
      (await by.submit(greeting, { name: jobId }, { jobId })).result()
    // The first submission of each client only asks.
    for (const job of [1, 2]) await run(client, `attached-${job}`)
    for (const job of [1, 2]) await run(beside, `beside-${job}`)
    const begun = [inClient, inStore].map((recorder) =>
      recorder.of('step.dispatched').map(({ jobId }) => jobId),
    )
    expect(begun).toEqual([['attached-2'], ['beside-2']])
    for (const each of [client, beside, first]) each.close()
    await host.stop()
    await cosmos.close()
  })

  it('do not use a store that does not serve the door, but its requests', async () => {
    const dataDirectory = scratchDirectory()
    const cosmos = createInProcessCosmos({ dataDirectory })
    await cosmos.client().getDatabaseAccount()
    const store = await attachAccount(dataDirectory)
    if (store === null) throw new Error('no process has the directory open')
    const end = watchThroughDoor(store, systemClock, {
      database: 'stepward',
      container: 'state',
      onWrite: () => undefined,
    })
    const client = await connect({ embedded: store })
    await client.submit(greeting, { name: 'ada' }, { jobId: 'ada' })
    expect(await client.list({})).toMatchObject([{ jobId: 'ada' }])
    end()
    client.close()
    await cosmos.close()
  })
})
