import { text } from '../../../platform/options.js'

/** The most characters of the name of a person or an operator, which documents keep with each decision. */
const mostOfName = 200

/** The most characters of a reason or a note, which documents keep with each decision. */
const mostOfReason = 2_000

/** The kind of the name of a person or an operator. */
export const personName = text(mostOfName)

/** The kind of the reason of a decision, or of a note. */
export const reasonText = text(mostOfReason)
