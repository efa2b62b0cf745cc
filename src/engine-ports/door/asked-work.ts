import type { TakenWork } from '../taken-work.js'

/** A question to the attached process that it has not answered. */
interface Asked {
  readonly work: Promise<TakenWork | null>
  readonly tell: (work: TakenWork | null) => void
}

/** The questions to one attached process which work it takes. A process that has not answered yet is not asked again. */
export class AskedWork {
  private asked: Asked | null = null

  /** @param send sends a question */
  constructor(private readonly send: () => void) {}

  ask(): Promise<TakenWork | null> {
    if (this.asked !== null) return this.asked.work
    let tell: (work: TakenWork | null) => void = () => undefined
    const work = new Promise<TakenWork | null>((resolve) => (tell = resolve))
    this.asked = { work, tell }
    this.send()
    return work
  }

  /** Called with the answer, or with null if the process has left. Returns the text of the answer to that message. */
  told(work: TakenWork | null): string {
    this.asked?.tell(work)
    this.asked = null
    return 'null'
  }
}
