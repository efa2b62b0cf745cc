import type { QuickCheck } from './quick-check.js'

export function isText(value: unknown): boolean {
  return typeof value === 'string'
}

export function isNumber(value: unknown): boolean {
  return Number.isFinite(value)
}

export function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value)
}

export function isNullOr(value: unknown, check: QuickCheck): boolean {
  return value === null || check(value)
}
