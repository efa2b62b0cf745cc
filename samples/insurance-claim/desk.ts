import { systemClock, type Alert, type Job, type JobClient, type JobView } from 'stepward'
import type { Case } from './claims.js'

const step = 'decision'
const head = 'head of claims'

/** The people of the office. They answer questions, and note what happens to each claim. */
export class Desk {
  private readonly startedMs = systemClock.monotonic()
  private readonly notes = new Map<string, string[]>()
  private client: JobClient | null = null

  constructor(
    private readonly cases: readonly Case[],
    private readonly tell: (line: string) => void,
  ) {}

  opens(client: JobClient): void {
    this.client = client
  }

  /** Receives the reminders and escalations, as an office would by mail. The same alert may come twice. */
  async alert(alerts: readonly Alert[]): Promise<void> {
    for (const { jobId, kind } of alerts) {
      if (kind === 'unanswered') this.note(jobId, 'ann is reminded')
      if (kind !== 'escalated') continue
      this.note(jobId, `the question goes to the ${head} too`)
      await this.answerFrom(head, jobId)
    }
  }

  /** Follows a job to its end, and returns its last view. Ann answers as soon as the job asks. */
  async follow(job: Job): Promise<JobView> {
    let isAnswered = false
    for await (const { steps } of job.updates()) {
      const isAsked = steps.some(({ stepId, state }) => stepId === step && state === 'Processing')
      if (isAsked && !isAnswered) isAnswered = await this.answerFrom('ann', job.jobId)
    }
    return job.view()
  }

  /** Returns what happened to a claim before its end. */
  notesOf(claimId: string): readonly string[] {
    return this.notes.get(claimId) ?? []
  }

  private async answerFrom(person: string, claimId: string): Promise<boolean> {
    const found = this.cases.find(({ claim, answers }) => claim.claimId === claimId && answers === person)
    if (found === undefined || this.client === null) return false
    const { decision } = found
    // The answer may be repeated: the same answer of the same person changes nothing.
    await this.client.answer(claimId, step, decision, { by: person })
    const what = decision.amount > 0 ? `approves ${decision.amount} EUR` : `declines: ${decision.reason}`
    this.note(claimId, `${person} ${what}`)
    return true
  }

  private note(claimId: string, text: string): void {
    const notes = this.notes.get(claimId) ?? []
    if (notes.includes(text)) return
    this.notes.set(claimId, [...notes, text])
    const seconds = ((systemClock.monotonic() - this.startedMs) / 1_000).toFixed(1)
    this.tell(`${seconds.padStart(5)} s  ${claimId}  ${text}`)
  }
}
