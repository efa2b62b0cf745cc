import type { InputEdit } from '../../sas/index.js'
import { counted } from '../../platform/internal.js'

/** Returns how an operator changed inputs. */
export function editText({ changes, others }: InputEdit): string {
  if (changes.length === 0) return 'the new input is the same as the old one'
  const shown = changes.map(
    ({ stepId, path, before, after }) =>
      `${stepId === null ? '' : `${stepId} `}${path}: ${before ?? 'nothing'} → ${after ?? 'nothing'}`,
  )
  return [...shown, ...(others === 0 ? [] : [`and ${counted(others, 'other change')}`])].join('; ')
}
