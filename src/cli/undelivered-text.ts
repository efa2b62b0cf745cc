/** How many jobs cannot be shown, in words. */
export function unreadableText(count: number): string {
  const which = count === 1 ? '1 job has a document that' : `${count} jobs have documents that`
  return `${which} cannot be read and is not shown: see "stepward attention"`
}

/** How many notices were given up, in words. */
export function undeliveredText(count: number): string {
  return count === 1 ? '1 notice was not delivered' : `${count} notices were not delivered`
}
