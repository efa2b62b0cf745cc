import type { Duration } from '../../platform/index.js'
import { durationMs } from '../../platform/internal.js'
import { duration, kind, optional, readOptions, shown, text } from '../../platform/options.js'
import { CommandInvalid, type JobClient } from '../../sas/index.js'
import type { Planned } from '../../sas/internal.js'
import type { StepDocument } from '../../sas/internal.js'
import { stepDocumentId } from '../../sas/model/document-ids.js'
import type { IdleTime } from './idle-time.js'
import { stateContainer, type JobFleet } from '../job-fleet.js'
import { Person } from '../person.js'
import type { World } from '../world.js'

/** An answer that a person gives in every story. */
export interface StoryAnswer {
  /** The id of the step that asks. */
  readonly step: string
  /** The answer, which must fit the form of the question. */
  readonly data: unknown
  /** The name of the person. Default `'person'`. */
  readonly by?: string
  /** The time between the question and the answer. Default 0. */
  readonly after?: Duration
}

const shape = {
  step: text(),
  data: kind('anything', () => true),
  by: optional(text(), 'person'),
  after: optional(duration(0), 0),
}

/** @throws RangeError if the answer is for a step that asks no question */
export function assertAnswer(workflow: Planned, answer: StoryAnswer): void {
  const { values, problems } = readOptions(shape, answer)
  if (problems.length > 0) throw new RangeError(problems.join('; '))
  assertAsks(workflow, values.step)
}

/** @throws RangeError if the step asks no question */
export function assertAsks({ plan }: Planned, stepId: string): void {
  const asking = plan.steps.filter(({ question }) => question !== undefined).map(({ id }) => id)
  if (asking.includes(stepId)) return
  const those = asking.length === 0 ? 'none does' : `those that do: ${asking.join(', ')}`
  throw new RangeError(`step ${JSON.stringify(stepId)} asks no question; ${those}`)
}

/** Gives the answers of a story, each once and some time after its question was put. */
export class Answers {
  /** The answers that do not fit their form. They do not end the story, as a broken invariant does. */
  readonly problems: string[] = []
  private readonly open: Set<StoryAnswer>

  constructor(
    private readonly story: { readonly world: World; readonly fleet: JobFleet; readonly idle: IdleTime },
    private readonly job: { readonly jobId: string; readonly partitionKey: string },
    answers: readonly StoryAnswer[],
  ) {
    this.open = new Set(answers)
  }

  /** Starts the answers whose questions have been put since the last call. */
  look(): void {
    const { world } = this.story
    for (const answer of this.open) {
      const { jobId, partitionKey } = this.job
      const stored = world.container(stateContainer).find([partitionKey], stepDocumentId(jobId, answer.step))
      const asked = (stored?.document as StepDocument | undefined)?.asked
      if (!asked) continue
      this.open.delete(answer)
      this.give(answer, Date.parse(asked.since))
    }
  }

  /** Answers, and repeats this until the answer is stored or refused. Reports an answer that never fits the form. */
  private give({ step, data, by = 'person', after = 0 }: StoryAnswer, askedAtMs: number): void {
    const { world, fleet, idle } = this.story
    const { jobId, partitionKey } = this.job
    const task = (client: JobClient): Promise<void> => client.answer(jobId, step, data, { by, partitionKey })
    const person = new Person(world, fleet, `${by} at ${step}`)
    const refused = (error: Error): void => {
      if (!(error instanceof CommandInvalid)) return
      this.problems.push(`the answer ${shown(data)} for step ${step} is invalid: ${error.message}`)
    }
    idle.at(askedAtMs + (durationMs(after) ?? 0), () => person.insist(task, () => undefined, refused))
  }
}
