import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { decodeDocument } from '../../src/sas/model/decode.js'
import { textOf } from './canonical.js'

/** Canonical documents by number. A state is a tuple of these numbers. */
export class DocumentTable<D extends JobDocument | StepDocument> {
  private readonly documents: D[] = []
  private readonly numbers = new Map<string, number>()

  get size(): number {
    return this.documents.length
  }

  numberOf(document: D): number {
    const text = textOf(document)
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    const number = this.documents.length
    this.numbers.set(text, number)
    this.documents.push(document)
    return number
  }

  at(number: number): D {
    const document = this.documents[number]
    if (document === undefined) throw new Error(`there is no document ${number}`)
    return document
  }
}

/** Explains why this document could not be read again if it were written; null if it can. */
export function unreadable(document: JobDocument | StepDocument): string | null {
  const decoded = decodeDocument(document)
  if (decoded.kind === 'invalid') return `I20: ${document.id} could not be read again: ${decoded.reason}`
  return decoded.kind === 'job' || decoded.kind === 'step' ? null : `${document.id} is not a document of ours`
}
