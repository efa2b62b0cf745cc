import {
  defineWorkflow,
  type Limit,
  type Step,
  type Workflow,
  type WorkflowBuilder,
} from '../../src/sas/index.js'
import { keyInPartition } from '../../src/sas/gates/home.js'
import { seededRandom } from '../../src/platform/index.js'
import type { FaultRates } from '../../src/testing/faults.js'
import { roles } from '../../src/testing/job-fleet.js'
import { Person } from '../../src/testing/person.js'
import { faultCostMs, JobScene, type Host, type JobReport, type Story } from './job-scene.js'
import { services, type Asked } from './remote-services.js'
import { timing, willing, type Scenario, type ScenarioInput } from './scenario.js'
import { TurnChecker, type Turns } from './turn-checker.js'

export interface GatedReport extends JobReport, Turns {
  /** The number of processes that died just before or after a write. */
  readonly deaths: number
  /** The number of requests whose answer was lost after they were carried out. */
  readonly lostAnswers: number
}

const slowTenant = 'elder'
const tenants = ['alder', 'birch', 'cedar', 'dogwood', slowTenant] as const
const stepsPerJob = 20
/** One job in 50 belongs to the tenant whose steps work beyond the first check of their place at a limit. */
const jobsForSlowOne = 50

/** A process dies before or after one in 800 writes, and more than one in 100 requests fails. */
const rates: FaultRates = {
  refused: 0.005,
  requestLost: 0.003,
  answerLost: 0.005,
  stale: 0.02,
  crashBefore: 0.000_6,
  crashAfter: 0.000_6,
  slow: 0,
  wrongDate: 0,
}

/**
 * With limits in the partition of the jobs, there are fewer writes, so more of them are struck in a short run. In a long run,
 * more jobs run at once. Then no process would live long enough for the steps of the slow tenant.
 */
const ratesPerPartition: FaultRates = { ...rates, crashBefore: 0.002, crashAfter: 0.002 }
const mostStepsOfShortRun = 1_000

/** The clocks of hosts differ by up to 1.8 s, and that of the last host is a minute wrong until it asks the store. */
const hosts: readonly Host[] = [-900, 0, 900, 60_000].map((skewMs, index) => ({
  computer: {
    name: `host-${index}`,
    skewMs,
    driftPpm: 300 * index,
    seesProcesses: index === 0,
    isToldTime: index === 3,
  },
  roles,
}))

/** How often an operator changes the limit that most steps share. */
const changeEveryMs = 10_000

/**
 * The limits of the steps of a tenant: at once, in turns, at two limits, by a rate, by both, and by two rates. They are in the
 * partition of the tenant's jobs, or in partitions of their own.
 */
function limitsOf(tenant: string, perPartition: boolean): readonly (readonly Limit[])[] {
  const isSlow = tenant === slowTenant
  if (perPartition) {
    const bank: Limit = { key: 'bank', atOnce: isSlow ? 40 : 6, perPartition }
    const own: Limit = { key: 'own', atOnce: isSlow ? 40 : 3, perPartition }
    const mail: Limit = { key: 'mail', perSecond: 5, burst: 3, perPartition }
    const search: Limit = { key: 'search', atOnce: 5, perSecond: 4, burst: 2, perPartition }
    return [[bank], [own], [bank, own], [mail], [search], [mail, search]]
  }
  const bank: Limit = { key: 'bank', atOnce: 40, fairBy: tenant }
  const own: Limit = { key: `tenant ${tenant}`, atOnce: isSlow ? 40 : 10 }
  const mail: Limit = { key: 'mail', perSecond: 20, burst: 10 }
  const search: Limit = { key: 'search', atOnce: 20, perSecond: 15, burst: 8, fairBy: tenant }
  return [[bank], [own], [bank, own], [mail], [search], [mail, search]]
}

function limited(tenant: string, perPartition: boolean): Workflow<ScenarioInput> {
  const limits = limitsOf(tenant, perPartition)
  const define = (job: WorkflowBuilder<ScenarioInput>): void => {
    const begun: Step<Asked>[] = []
    for (let index = 0; index < stepsPerJob; index += 1) {
      const [id, own] = [`step-${index}`, limits[index % limits.length] ?? []]
      // Enough attempts for all faults that one step meets, so that every job must end as Processed.
      const retry = { tries: 30, backoff: { min: '1s', max: '2s' } }
      // The second half comes later than the first, when others wait.
      const first = begun[index - stepsPerJob / 2]
      const options = {
        ...timing,
        retry,
        undo: 'none',
        limits: own,
        after: first === undefined ? [] : [first],
      } as const
      begun.push(job.step(id, services.provide, { item: id }, options))
    }
  }
  return defineWorkflow(`limited-${tenant}`, define, perPartition ? { partitionKey: () => tenant } : {})
}

/**
 * Runs jobs of 20 steps that share limits of every kind, on hosts that die before and after their writes. An
 * operator changes one limit again and again. Faults last until nine in ten jobs have ended.
 */
export async function simulateGatedSteps(
  seed: number,
  steps: number,
  perPartition = false,
): Promise<GatedReport> {
  const random = seededRandom(seed)
  const jobs = Math.ceil(steps / stepsPerJob)
  const scenarios = tenants.map((tenant): Scenario => {
    const common = {
      name: tenant,
      workflow: limited(tenant, perPartition),
      moods: willing,
      end: 'Processed',
    } as const
    return tenant === slowTenant
      ? { ...common, workMs: 70_000, progressEveryMs: 5_000 }
      : { ...common, workMs: 200 }
  })
  const stories = Array.from({ length: jobs }, (_, index): Story => {
    const isSlow = index % jobsForSlowOne === jobsForSlowOne - 1
    const scenario = scenarios[isSlow ? tenants.length - 1 : index % (tenants.length - 1)]
    if (scenario === undefined) throw new RangeError('there is no such tenant')
    return { jobId: `${scenario.name}-${index}`, scenario, atMs: random.next() * jobs * 100 }
  })
  const areWoken = seed % 2 === 0
  const scene = new JobScene({
    seed,
    hosts,
    stories,
    faults: { rates: perPartition && steps <= mostStepsOfShortRun ? ratesPerPartition : rates },
    partitionCount: 2,
    areWoken,
  })
  const { world, checker } = scene
  const turns = new TurnChecker(() => world.time.now())
  world.watch(turns)
  scene.start()
  scene.keepRunning()
  changeLimit(scene, perPartition ? keyInPartition('bank', tenants[0]) : 'bank')
  await world.runUntil(() => checker.endedCount >= jobs * 0.9, jobs * 60_000 + faultCostMs)
  scene.endFaults()
  const report = await scene.finish(jobs * 10_000 + 2 * faultCostMs)
  const counted = (kind: string): number =>
    [...report.faults].reduce((sum, [name, count]) => (name.startsWith(kind) ? sum + count : sum), 0)
  const problems = report.problems.length > 0 ? report.problems : turns.left()
  return {
    ...report,
    ...turns.turns,
    problems,
    deaths: counted('crash'),
    lostAnswers: counted('answerLost'),
  }
}

/** Lets an operator raise, lower, pause and clear a limit, until faults end. */
function changeLimit(scene: JobScene, key: string, count = 0): void {
  const { world, fleet, faults } = scene
  world.time.schedule(changeEveryMs, () => {
    const operator = new Person(world, fleet, `operator ${count}`)
    const atOnce = [3, 100, null, 0, null, 100][count % 6] ?? null
    const isLast = faults.isOver
    operator.insist(
      async ({ limits }) => {
        await (atOnce === null || isLast ? limits.clear(key) : limits.set(key, { atOnce }))
      },
      () => {
        if (!isLast) changeLimit(scene, key, count + 1)
      },
    )
  })
}
