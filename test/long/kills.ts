import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { seededRandom, type Random } from '../../src/platform/index.js'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { readChanges, type Container } from '../../src/emulator/engine/index.js'
import { batchSize, type Acknowledged } from './endless-writer.js'

/** The options of a run of kills. */
export interface KillRun {
  /** Runs `endless-writer` as a process: the command and its first arguments. */
  readonly writer: readonly [string, ...string[]]
  readonly dataDirectory: string
  readonly kills: number
  readonly seed: number
  /** Called after every kill. A problem in `broken` ends the run. */
  readonly onKill: (progress: Progress) => void
}

/** The progress of a run. */
export interface Progress {
  readonly kills: number
  readonly acknowledged: number
  readonly broken: readonly string[]
}

/** Checks the data directory against everything that was acknowledged. */
class Ledger {
  count = 0
  /** By document: the newest acknowledged round. */
  private readonly newest = new Map<string, Acknowledged>()
  /** By range and LSN: the write that took it. Contains only LSNs that were acknowledged or read. */
  private readonly owners = new Map<string, string>()

  acknowledge(line: Acknowledged): readonly string[] {
    this.count += 1
    const before = this.newest.get(line.id)
    if (before === undefined || before.round < line.round) this.newest.set(line.id, line)
    return this.own(line.rangeId, line.lsn, `${line.group} round ${line.round}`)
  }

  /** Returns the problems of the container after a restart. */
  check(container: Container): readonly string[] {
    const broken: string[] = []
    for (const { id, group, round, lsn } of this.newest.values()) {
      const stored = container.find([group], id)
      const storedRound = Number(stored?.document['round'] ?? Number.NaN)
      if (!(storedRound >= round))
        broken.push(`${id} was acknowledged in round ${round}; found ${storedRound}`)
      if ((stored?.lsn ?? 0) < lsn) broken.push(`${id} was acknowledged at LSN ${lsn}; found ${stored?.lsn}`)
    }
    for (const partition of container.partitions) broken.push(...this.checkFeed(container, partition.id))
    return broken
  }

  private checkFeed(container: Container, rangeId: string): readonly string[] {
    const partition = container.partitionById(rangeId)
    const broken: string[] = []
    const start = { kind: 'beginning' } as const
    const { versions } = readChanges(container, partition, { start, maxItemCount: 100_000 })
    const rounds = new Map<string, Map<unknown, number>>()
    for (const { lsn, document } of versions) {
      const group = String(document['group'])
      if (lsn > partition.lsn) broken.push(`range ${rangeId} is at ${partition.lsn} but holds LSN ${lsn}`)
      broken.push(...this.own(rangeId, lsn, `${group} round ${String(document['round'])}`))
      const counts = rounds.get(group) ?? new Map<unknown, number>()
      counts.set(document['round'], (counts.get(document['round']) ?? 0) + 1)
      rounds.set(group, counts)
    }
    for (const [group, counts] of rounds) {
      const isWhole = counts.size === 1 && [...counts.values()][0] === batchSize
      if (!isWhole) broken.push(`the batch of ${group} is torn: ${JSON.stringify([...counts])}`)
    }
    return broken
  }

  /** A place in the log always has the same content, even if it was only read and never acknowledged. */
  private own(rangeId: string, lsn: number, content: string): readonly string[] {
    const place = `${rangeId}/${lsn}`
    const owner = this.owners.get(place)
    if (owner === undefined) this.owners.set(place, content)
    return owner === undefined || owner === content ? [] : [`LSN ${place} was ${owner} and is ${content}`]
  }
}

const mostAcknowledgements = 400

/** Kills a writing process repeatedly on one directory. Ends at the first problem. */
export async function runKills(run: KillRun): Promise<Progress> {
  const random = seededRandom(run.seed)
  const ledger = new Ledger()
  let progress: Progress = { kills: 0, acknowledged: 0, broken: [] }
  for (let kill = 1; kill <= run.kills && progress.broken.length === 0; kill += 1) {
    const broken = [...(await writeUntilKilled(run, ledger, random))]
    const cosmos = createInProcessCosmos({ dataDirectory: run.dataDirectory })
    if (cosmos.engine.databases.length > 0) {
      broken.push(...ledger.check(cosmos.engine.container('shop', 'orders')))
    } else if (ledger.count > 0) {
      broken.push('the database is gone')
    }
    await cosmos.close()
    progress = { kills: kill, acknowledged: ledger.count, broken }
    run.onKill(progress)
  }
  return progress
}

/**
 * Kills the writer after a number of lines that the seed decides, between two lines or in the middle of a
 * write.
 */
async function writeUntilKilled(run: KillRun, ledger: Ledger, random: Random): Promise<readonly string[]> {
  const [command, ...args] = run.writer
  const child = spawn(command, [...args, run.dataDirectory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const killAfter = Math.floor(random.next() * mostAcknowledgements)
  const broken: string[] = []
  let heard = 0
  if (killAfter === 0) child.kill('SIGKILL')
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as Acknowledged | { readonly failed: string }
    if ('failed' in said) broken.push(said.failed)
    else broken.push(...ledger.acknowledge(said))
    heard += 1
    if (heard === killAfter) child.kill('SIGKILL')
  }
  return broken
}
