import type { InputEdit } from '../../sas/index.js'
import { counted } from '../../platform/internal.js'

/** Returns a changed value as a person reads it. The name of a duration in milliseconds ends with `Ms`. */
export function valueText(path: string, value: string | null): string {
  if (value === null) return 'nothing'
  return path.endsWith('Ms') && /^\d+$/u.test(value) ? exactText(Number(value)) : value
}

/** Returns a time in the largest unit of which it is a multiple, such as `90d`. */
function exactText(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }
  const [unit, unitMs] = Object.entries(units).find(([, each]) => ms % each === 0) ?? ['ms', 1]
  return `${ms / unitMs}${unit}`
}

/** Returns how an operator changed inputs. */
export function editText({ changes, others }: InputEdit): string {
  if (changes.length === 0) return 'the new input is the same as the old one'
  const shown = changes.map(
    ({ stepId, path, before, after }) =>
      `${stepId === null ? '' : `${stepId} `}${path}: ${valueText(path, before)} → ${valueText(path, after)}`,
  )
  return [...shown, ...(others === 0 ? [] : [`and ${counted(others, 'other change')}`])].join('; ')
}
