/**
 * The client of a run, as its own process. It submits jobs, plays the operators of their stories, and writes
 * the documents whose changes the processor delivers. It reports when all jobs have ended. On a message from
 * the runner, it reads every document once more and ends the history.
 */
import { connect, type Job, type JobSummary } from 'stepward'
import { ChangeFeedEstimator } from 'stepward/change-feed-processor'
import { Chance } from './chance.js'
import { Recorder, type Begun } from './recorder.js'
import { recordedClient } from './recorded-client.js'
import { schedulesOf } from './schedules.js'
import { names, toldSetup } from './setup.js'
import { kinds, tell, workflowOf, type Command, type JobInput, type JobStory } from './stories.js'

const setup = toldSetup()
const recorder = new Recorder(setup.history, 'client')
const client = recordedClient(setup, recorder)
const database = client.database(names.database)
let isOver = false
/** The time until which ticks and waiting steps are awaited, or 0 if it is not known yet. */
let awaitedMs = 0
/** How long a due tick or a called step may take while instances die and others take over. */
const patientMs = 12_000
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Errors that are refusals: this call certainly wrote nothing, or its effect had been written before. */
const refusals = ['CommandRefused', 'JobConflict', 'JobNotFound', 'SubmissionInvalid']
const endStates = ['Processed', 'Error', 'Compensated']

const jobs = await connect({ client, database: names.database, provision: false })
/** The state of every job when the store was last read. */
let summaries: ReadonlyMap<string, JobSummary> = new Map()
/** The number of times that the store was read. */
let readings = 0
await told({ ready: true })
/** Aborted when the run is over, even if jobs have not ended. */
const over = new Promise((resolve) => process.once('message', resolve))
const looking = lookOn()
const chance = new Chance(setup.seed)
const chosen = setup.kinds.length > 0 ? setup.kinds : Object.keys(kinds)
const schedules = schedulesOf(setup.schedules, new Chance(setup.seed + 2))
const stories = chance.some(chosen, setup.jobs).map((kind) => tell(kind, chance))
await Promise.race([lived(), over])
isOver = true
// If the time was up, what was due long before had time enough.
awaitUntil(Date.now() - patientMs)
await Promise.all([looking, over])
await observe()
process.exit(0)

/** Plays every story to its end, and waits until every document is delivered. */
async function lived(): Promise<void> {
  await Promise.all([
    ...schedules.map((schedule) => atLast(() => jobs.schedules.set(schedule))),
    ...stories.map((story, index) => live(story, index, chance.between(0, 2_000))),
    writeOrders(new Chance(setup.seed + 1)),
  ])
  await Promise.all([settled(), ticked()])
  process.send?.({ done: true })
}

/** Sends a message to the runner, and resolves when it answers. */
function told(message: Readonly<Record<string, boolean>>): Promise<unknown> {
  process.send?.(message)
  return new Promise((resolve) => process.once('message', resolve))
}

/** Reads all jobs together, repeatedly. Reading each by itself would be most of the work of a run. */
async function lookOn(): Promise<void> {
  while (!isOver) {
    try {
      summaries = new Map((await jobs.list()).map((job) => [job.jobId, job]))
      readings += 1
    } catch {
      // The store cannot be reached now; the loop tries again.
    }
    await wait(150)
  }
}

/** Resolves when a look has begun and ended. The look that is under way may have begun before a command. */
async function lookedAgain(): Promise<void> {
  const enough = readings + 2
  while (readings < enough && !isOver) await wait(50)
}

/** Plays one job from its submission to its end. */
async function live(story: JobStory, index: number, afterMs: number): Promise<void> {
  const jobId = `${story.kind}-${index}`
  await wait(afterMs)
  const input = { isGift: index % 2 === 0, version: 1 }
  const submissions = [submit(story, jobId, input)]
  if (story.again !== undefined) {
    submissions.push(submit(story, jobId, { ...input, version: story.again === 'same' ? 1 : 2 }))
  }
  const [first, second] = await Promise.all(submissions)
  const job = first ?? second ?? null
  if (job === null) return
  for (const command of story.commands ?? []) {
    if (!(await isTime(job, command))) break
    await perform(job, command)
  }
  await hasEnded(job)
}

async function submit(story: JobStory, jobId: string, input: JobInput): Promise<Job | null> {
  const workflow = workflowOf(story)
  const { replyTo = null } = story.submit ?? {}
  const alongside = [{ create: { id: `own-${jobId}`, note: 'mine' } }]
  // Submits again under the same id after a lost answer, as a caller would.
  for (;;) {
    const begun = recorder.invoke('submit', { jobId, input, replyTo })
    const job = await done(begun, () => jobs.submit(workflow, input, { jobId, alongside, ...story.submit }))
    if (job !== undefined) return job
    await wait(100)
  }
}

/** Returns the result of a call, null if it was refused, or undefined if its outcome is unknown. */
async function done<T>(begun: Begun, call: () => Promise<T>): Promise<T | null | undefined> {
  try {
    const result = await call()
    begun.ok()
    return result
  } catch (error) {
    const { name, message } = error as Error
    if (refusals.includes(name)) {
      begun.fail({ name, message })
      return null
    }
    begun.info({ name, message })
    return undefined
  }
}

/** Resolves to true when the command is due, or to false when the job ends first. */
async function isTime({ jobId }: Job, { when }: Command): Promise<boolean> {
  if (typeof when === 'number') {
    await wait(when)
    return true
  }
  for (;;) {
    await wait(100)
    const job = summaries.get(jobId)
    if (job === undefined) continue
    if (when === 'parked' && job.attention?.kind === 'parked') return true
    if (endStates.includes(job.state)) return when === job.state
  }
}

async function perform(job: Job, { command, step, isEdited = false }: Command): Promise<void> {
  const { jobId } = job
  for (let tries = 0; tries < 50; tries += 1) {
    const why = `${command} ${tries} of ${jobId}`
    const about = { command, jobId, step: step ?? null, isEdited, why }
    const named = step === undefined ? {} : { step }
    const begun = recorder.invoke('command', about)
    const answer = await done(begun, async () => {
      if (command === 'cancel') await jobs.cancel(jobId, why)
      else if (command === 'release') await jobs.release(jobId, { why, ...named })
      else if (command === 'raise') await jobs.raiseEvent(jobId, step ?? '', { why: 'raised' })
      else {
        const edit = isEdited ? { input: { moods: [] } } : {}
        await jobs.resubmit(jobId, { by: 'operator', why, ...named, ...edit })
      }
      return true
    })
    if (answer !== undefined) {
      await lookedAgain()
      return
    }
    await wait(100)
  }
}

async function hasEnded({ jobId }: Job): Promise<void> {
  for (;;) {
    await wait(100)
    const job = summaries.get(jobId)
    if (job === undefined) continue
    if (endStates.includes(job.state) || job.attention?.kind === 'parked') return
  }
}

async function writeOrders(luck: Chance): Promise<void> {
  const orders = database.container(names.orders)
  for (let revision = 1; revision <= 60; revision += 1) {
    const number = luck.between(0, 23)
    const order = { id: `o-${number}`, pk: `p-${number % 12}`, revision }
    await atLast(() => orders.items.upsert(order))
    await wait(luck.between(20, 220))
  }
}

async function atLast<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch {
      await wait(50)
    }
  }
}

/** Resolves when the processor has nothing left to deliver, or after a time limit. */
async function settled(): Promise<void> {
  const estimator = new ChangeFeedEstimator({
    monitoredContainer: database.container(names.orders),
    leaseContainer: database.container(names.leases),
    processorName: names.orders,
  })
  for (let looks = 0; looks < 100; looks += 1) {
    if ((await atLast(() => estimator.total())) === 0) return
    await wait(150)
  }
}

/** Resolves when every tick that was due a second ago is a job that has ended, or was skipped. */
async function ticked(): Promise<void> {
  awaitUntil(Date.now() - 1_000)
  await Promise.all(schedules.map(({ id }) => tickedOn(id)))
}

async function tickedOn(scheduleId: string): Promise<void> {
  const isPast = async (): Promise<boolean> => {
    const schedule = await atLast(() => jobs.schedules.get(scheduleId))
    return Date.parse(schedule?.nextDue ?? '') > awaitedMs
  }
  while (!(await isPast())) await wait(150)
  const runs = (await atLast(() => jobs.list())).filter(({ jobId }) => jobId.startsWith(`${scheduleId}@`))
  const isOver = ({ jobId }: JobSummary): boolean => endStates.includes(summaries.get(jobId)?.state ?? '')
  while (!runs.every(isOver)) await wait(150)
}

/** Records the time until which the client awaits ticks and waiting steps. The first time counts. */
function awaitUntil(untilMs: number): void {
  if (awaitedMs > 0) return
  awaitedMs = untilMs
  recorder.note('awaited', { untilMs })
}

/** Reads everything once more, after all other writers have stopped. */
async function observe(): Promise<void> {
  for (const name of [names.state, names.leases, names.orders, names.replies]) {
    const query = database.container(name).items.query('SELECT * FROM c')
    await atLast(() => query.fetchAll())
  }
  recorder.note('end')
}
