export function unreadableText(count: number): string {
  const which = count === 1 ? '1 job has a document that' : `${count} jobs have documents that`
  return `${which} cannot be read and is not shown: see "stepward attention"`
}

export function undeliveredText(count: number): string {
  return count === 1 ? '1 notice was not delivered' : `${count} notices were not delivered`
}
