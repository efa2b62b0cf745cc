import type { Mood } from '../remote-service/index.js'
import type { Trip } from './index.js'

/**
 * Three trips. The first is booked, the second is booked on the second try, and the third cannot be booked.
 */
export const trips: readonly Trip[] = [
  { traveller: 'ada', destination: 'Lisbon' },
  { traveller: 'grace', destination: 'Porto' },
  { traveller: 'linus', destination: 'Faro' },
]

/**
 * Returns a service that refuses every seat to Faro and the first car in Porto, and loses the first answer
 * about the hotel in Lisbon. It refuses only the first request for the car, not the first request with each
 * key, because the trip's second try may use another key.
 */
export function availability(): Mood {
  let isCarThere = false
  return ({ kind, body, number }) => {
    if (kind === 'flight' && body['destination'] === 'Faro') return 'refused'
    if (kind === 'hotel' && body['destination'] === 'Lisbon' && number === 1) return 'doneAndSilent'
    if (kind !== 'car' || body['destination'] !== 'Porto' || isCarThere) return 'done'
    isCarThere = true
    return 'refused'
  }
}
