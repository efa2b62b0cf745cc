/** Says how many jobs cannot be shown. */
export function unreadableText(count: number): string {
  const which = count === 1 ? '1 job has a document that' : `${count} jobs have documents that`
  return `${which} cannot be read and is not shown: see "stepward attention"`
}

/** Says how many notices were given up. */
export function undeliveredText(count: number): string {
  return count === 1 ? '1 notice was not delivered' : `${count} notices were not delivered`
}
