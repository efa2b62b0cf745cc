import type { Mood } from '../remote-service/index.js'
import type { Trip } from './index.js'

/** Three trips: one that works, one that works when it is begun once more, one that cannot be booked. */
export const trips: readonly Trip[] = [
  { traveller: 'ada', destination: 'Lisbon' },
  { traveller: 'grace', destination: 'Porto' },
  { traveller: 'linus', destination: 'Faro' },
]

/**
 * Refuses every seat to Faro and the first request for a car in Porto, and loses the first answer about the hotel in
 * Lisbon. The second request for the car has the same key, because nothing was done under it.
 */
export const availability: Mood = ({ kind, body, number }) => {
  if (kind === 'flight' && body['destination'] === 'Faro') return 'refused'
  if (kind === 'car' && body['destination'] === 'Porto' && number === 1) return 'refused'
  if (kind === 'hotel' && body['destination'] === 'Lisbon' && number === 1) return 'doneAndSilent'
  return 'done'
}
