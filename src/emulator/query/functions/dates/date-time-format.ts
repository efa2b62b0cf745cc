import { notSupported } from '../../language/query-error.js'
import { refuseLongResult } from '../../language/query-limits.js'
import { dateTimeText, ticksOf } from './date-time.js'

/** A backslash and the character that it makes literal, a run of one specifier, or other characters. */
const token = /\\([\s\S]?)|([yMdHhmsfFtgKz%'"])\2*|[^\\yMdHhmsfFtgKz%'"]+/gu

const shown = 20

/**
 * Formats a date and time. The service's documentation does not list the specifiers, so these are the ones of
 * similar products. A specifier on which these products differ, such as MMM, is refused, and the error names
 * it.
 */
export function formatted(dateTime: unknown, format: unknown): string | undefined {
  const ticks = ticksOf(dateTime)
  if (ticks === undefined || typeof format !== 'string') return undefined
  const text = dateTimeText(ticks) ?? ''
  const pieces: string[] = []
  let length = 0
  for (const [part, literal, specifier] of format.matchAll(token)) {
    const piece = literal === undefined && specifier === undefined ? part : (literal ?? valueOf(part, text))
    if (piece === undefined || literal === '') throw refusal(part)
    length += piece.length
    refuseLongResult(length)
    pieces.push(piece)
  }
  return pieces.join('')
}

function refusal(part: string): Error {
  return notSupported(`'${part.slice(0, shown)}' in a format of DATETIMEFORMAT`, { start: 0, end: 0 })
}

/** The positions of the values of these specifiers in the text `YYYY-MM-DDThh:mm:ss.fffffffZ`. */
const places: Readonly<Record<string, number>> = { yy: 2, MM: 5, dd: 8, HH: 11, mm: 14, ss: 17 }

const fractionAt = 20
const mostFraction = 7

function valueOf(specifier: string, text: string): string | undefined {
  const place = places[specifier] ?? places[specifier.repeat(2)]
  if (place !== undefined) return digits(specifier, text.slice(place, place + 2))
  const hour = Number(text.slice(11, 13))
  switch (specifier) {
    case 'yyyy':
      return text.slice(0, 4)
    case 'h':
    case 'hh':
      return digits(specifier, String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0'))
    case 'tt':
      return hour < 12 ? 'AM' : 'PM'
  }
  if (!/^[fF]/.test(specifier) || specifier.length > mostFraction) return undefined
  const fraction = text.slice(fractionAt, fractionAt + specifier.length)
  return specifier.startsWith('f') ? fraction : fraction.replace(/0+$/, '')
}

/** Drops the leading zero of two digits if the specifier is one character. */
function digits(specifier: string, value: string): string {
  return specifier.length === 1 ? String(Number(value)) : value
}
