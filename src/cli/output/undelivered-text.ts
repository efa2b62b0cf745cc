import { counted } from '../../platform/internal.js'

export function unreadableText(count: number): string {
  const which = counted(
    count,
    'job is not shown, because its document',
    'jobs are not shown, because their documents',
  )
  return `${which} cannot be read: see "stepward attention"`
}

export function undeliveredText(count: number): string {
  return counted(count, 'notice was not delivered', 'notices were not delivered')
}
