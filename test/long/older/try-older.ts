import type { Container } from '@azure/cosmos'
import { connect, type ConnectedClient } from 'stepward'
import * as presentBuild from 'stepward'
import { startEmulator, type Emulator } from 'stepward/emulator'
import { HostProcess } from './host-process.js'
import { newKinds, oldKinds, optionsOf, shopOf, workflowOf } from './kinds.js'
import type { OlderBuild } from './older-build.js'

export interface Trial {
  readonly older: OlderBuild
  /** The URL of the main module of the present build. */
  readonly present: string
  /** The number of jobs of each kind in each part. */
  readonly jobs: number
  readonly print: (line: string) => void
  /** Receives the documents of the older build at the moment when its host was killed. */
  readonly keep?: (documents: readonly object[]) => void
}

/** A stored document, as far as this trial reads it. Limits and their waiters have neither job nor state. */
interface Row {
  readonly id: string
  readonly pk: string
  readonly jobId: string
  readonly type: string
  readonly schema: number
  readonly processState: string
  readonly _etag: string
}

/** The longest time that a part may take. */
const patienceMs = 120_000

/** Lets hosts of both builds work on one store. Returns what is wrong. */
export async function tryOlder(trial: Trial): Promise<readonly string[]> {
  const emulator = await startEmulator({ port: 0, partitionCount: 1 })
  const { database } = await emulator.client().databases.create({ id: 'older' })
  const { container } = await database.containers.create({
    id: 'state',
    partitionKey: '/pk',
    defaultTtl: -1,
    // Three physical partitions, so that both hosts have leases.
    throughput: 30_000,
  })
  await database.containers.create({ id: 'leases', partitionKey: '/id', defaultTtl: -1 })
  const common = { database: 'older', container: 'state', leaseContainer: 'leases' }
  const client = await connect({ client: emulator.client(), ...common })
  const parts = new Parts(trial, emulator, container, client)
  try {
    await parts.takeOver()
    await parts.besideEachOther()
    await parts.leftAlone()
  } finally {
    await parts.end()
    client.close()
    await emulator.close()
  }
  return parts.problems
}

class Parts {
  readonly problems: string[] = []
  private readonly hosts: HostProcess[] = []
  private readonly shop = shopOf(presentBuild, () => undefined)

  constructor(
    private readonly trial: Trial,
    private readonly emulator: Emulator,
    private readonly container: Container,
    private readonly client: ConnectedClient,
  ) {}

  /** The older host dies in the middle of its jobs, and the present build ends them. */
  async takeOver(): Promise<void> {
    const { print } = this.trial
    const older = await this.host('older-1', this.trial.older.main)
    const jobs = await this.submitted('begun', oldKinds, async (kind, jobId) => older.submit(kind, jobId))
    await until(() => older.calls.length >= jobs.size, 'the older host makes half of its calls')
    const underWay = older.callsUnderWay
    older.kill()
    this.trial.keep?.(await this.rows(jobs))
    const open = (await this.rows(jobs)).filter(
      ({ type, processState }) => type === 'sas.job' && !isOver(processState),
    ).length
    const present = await this.host('present-1', this.trial.present)
    await this.ended(jobs)
    const repeated = present.calls.filter(({ key }) => older.calls.some((call) => call.key === key))
    const tooMany = new Set(repeated.map(({ key }) => key)).size
    if (tooMany > underWay.size + jobs.size) this.problems.push(`${tooMany} calls were repeated`)
    print(
      `taken over: ${jobs.size} jobs of the older build, ${open} of them open when its host was killed; ` +
        `all ended; ${underWay.size} calls were under way, and ${tooMany} were made again under their key`,
    )
  }

  /** Hosts of both builds share the jobs of both clients. */
  async besideEachOther(): Promise<void> {
    const older = await this.host('older-2', this.trial.older.main)
    const present = this.hosts.find(({ name }) => name === 'present-1')
    const before = present?.calls.length ?? 0
    const byOlder = await this.submitted('older', oldKinds, async (kind, jobId) => older.submit(kind, jobId))
    const byPresent = await this.submitted('present', oldKinds, (kind, jobId) => this.submit(kind, jobId))
    const jobs = new Map([...byOlder, ...byPresent])
    await this.ended(jobs)
    const calls = [older.calls.length, (present?.calls.length ?? 0) - before]
    this.trial.print(
      `beside each other: ${jobs.size} jobs ended; ${calls.join(' and ')} calls by the older and the present host`,
    )
    await older.stop()
  }

  /** The present host dies in the middle of its jobs, and only the older host runs. */
  async leftAlone(): Promise<void> {
    const {
      print,
      older: { schemaVersion },
    } = this.trial
    const jobs = await this.newJobs()
    const older = await this.host('older-3', this.trial.older.main)
    const before = await this.documents(jobs)
    const markers = await this.submitted('marker', { chain: 'Processed' }, (kind, jobId) =>
      this.submit(kind, jobId),
    )
    await this.ended(markers)
    const after = new Map((await this.documents(jobs)).map((row) => [nameOf(row), row]))
    const unknown = before.filter(({ schema }) => schema > schemaVersion)
    const unknownJobs = new Set(unknown.filter(({ type }) => type === 'sas.job').map(({ jobId }) => jobId))
    // The older host ends attempts that are under way, and lets their deadlines pass.
    const mayEnd = ({ type, processState }: Row): boolean =>
      type === 'sas.step' && processState === 'Processing'
    const touched = before.filter((row) => {
      const isUnknown = row.schema > schemaVersion || unknownJobs.has(row.jobId)
      return isUnknown && !mayEnd(row) && after.get(nameOf(row))?._etag !== row._etag
    })
    for (const { id } of touched) this.problems.push(`the older host changed ${id}`)
    const types = ['sas.job', 'sas.step', 'sas.gate', 'sas.waiter'].map((type) => {
      return `${unknown.filter((row) => row.type === type).length} of ${type}`
    })
    print(
      `left alone: of ${jobs.size} new jobs, ${unknownJobs.size} have a version that the older host does not know ` +
        `(documents of such a version: ${types.join(', ')}); ` +
        `it changed ${touched.length} of their documents while it ended ${markers.size} others`,
    )
    await this.host('present-2', this.trial.present)
    await older.stop()
    await this.goOn(jobs)
    await this.ended(jobs)
    print(`then: all ${jobs.size} new jobs ended with a host of the present build`)
  }

  /** Submits the new jobs, and kills the present host when it has made some of their calls. */
  private async newJobs(): Promise<ReadonlyMap<string, string>> {
    const present = this.hosts.find(({ name }) => name === 'present-1')
    const callsBefore = present?.calls.length ?? 0
    const jobs = await this.submitted('new', newKinds, (kind, jobId) => this.submit(kind, jobId))
    const [failed] = [...oldJobs(this.trial.jobs)].filter(([, end]) => end === 'Error')
    if (failed !== undefined) {
      const { jobId } = await this.client.restart(failed[0], {
        from: 'first',
        after: 'keep',
        why: 'again',
        by: 'ann',
      })
      jobs.set(jobId, 'Error')
    }
    await this.pauseSome(jobs)
    const isHalfDone = (): boolean => (present?.calls.length ?? 0) >= callsBefore + jobs.size
    await until(isHalfDone, 'the present host makes some of its calls')
    present?.kill()
    return jobs
  }

  async end(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.stop()))
  }

  private async host(name: string, build: string): Promise<HostProcess> {
    const { endpoint, key } = this.emulator
    const host = await HostProcess.start({ build, endpoint, key, name })
    this.hosts.push(host)
    return host
  }

  private async submit(kind: string, jobId: string): Promise<void> {
    await this.client.submit(
      workflowOf(presentBuild, this.shop, kind),
      { orderId: jobId },
      { jobId, ...optionsOf(kind) },
    )
  }

  private async submitted(
    part: string,
    kinds: typeof oldKinds,
    submit: (kind: string, jobId: string) => Promise<void>,
  ): Promise<Map<string, string>> {
    const jobs = new Map<string, string>()
    for (const [kind, end] of Object.entries(kinds)) {
      for (let number = 0; number < this.trial.jobs; number += 1) {
        const jobId = `${part}-${kind}-${number}`
        await submit(kind, jobId)
        jobs.set(jobId, end)
      }
    }
    return jobs
  }

  private async pauseSome(jobs: ReadonlyMap<string, string>): Promise<void> {
    for (const jobId of jobs.keys()) {
      if (jobId.startsWith('new-paused')) await this.client.pause(jobId, 'not now')
    }
  }

  /** Resumes paused jobs, and answers questions as soon as they are put. */
  private async goOn(jobs: ReadonlyMap<string, string>): Promise<void> {
    for (const jobId of jobs.keys()) {
      if (jobId.startsWith('new-paused')) await this.client.resume(jobId)
      if (jobId.startsWith('new-collected')) {
        for (const key of ['one', 'two']) await this.client.raiseEvent(jobId, 'news', key, { key })
      }
      if (!jobId.startsWith('new-asked')) continue
      await until(async () => {
        const steps = (await this.rows(new Map([[jobId, '']]))).filter(({ id }) => id.includes('agree'))
        return steps.some(({ processState }) => processState === 'Processing')
      }, `job ${jobId} asks`)
      await this.client.answer(jobId, 'agree', true, { by: 'ann' })
    }
  }

  private async ended(jobs: ReadonlyMap<string, string>): Promise<void> {
    const ends = async (): Promise<readonly Row[]> =>
      (await this.rows(jobs)).filter(({ type }) => type === 'sas.job')
    await until(
      async () => (await ends()).every(({ processState }) => isOver(processState)),
      'the jobs end',
    ).catch(() => undefined)
    const found = new Map((await ends()).map((row) => [row.jobId, row.processState]))
    for (const [jobId, end] of jobs) {
      if (found.get(jobId) !== end)
        this.problems.push(`job ${jobId} is ${found.get(jobId) ?? 'lost'}, and not ${end}`)
    }
  }

  private async rows(jobs: ReadonlyMap<string, string>): Promise<readonly Row[]> {
    return (await this.documents(jobs)).filter(({ type }) => type === 'sas.job' || type === 'sas.step')
  }

  /** Returns the documents of these jobs, and those of limits. */
  private async documents(jobs: ReadonlyMap<string, string>): Promise<readonly Row[]> {
    const query = "SELECT * FROM c WHERE c.type IN ('sas.job', 'sas.step', 'sas.gate', 'sas.waiter')"
    const { resources } = await this.container.items.query<Row>(query).fetchAll()
    return resources.filter(({ type, jobId }) => jobs.has(jobId) || !/^sas\.(job|step)$/.test(type))
  }
}

/** Returns a name that no other document has. Waiters of two limits may have the same id. */
function nameOf({ pk, id }: Row): string {
  return `${pk} ${id}`
}

function oldJobs(count: number): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(oldKinds).flatMap(([kind, end]) =>
      Array.from({ length: count }, (_, number): [string, string] => [`begun-${kind}-${number}`, end]),
    ),
  )
}

function isOver(state: string): boolean {
  return ['Processed', 'Compensated', 'Error'].includes(state)
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endMs = Date.now() + patienceMs
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`${what}: not within ${patienceMs / 1_000} s`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
