import { defineAgent, defineWorkflow, type AgentContext } from 'stepward'
import { ask, undo } from '../remote-service/ask.js'

/** A trip to book as a whole, or not at all. */
export interface Trip {
  readonly traveller: string
  readonly destination: string
}

/** A booking of one kind, and its cancellation. */
function bookingsOf(kind: 'flight' | 'hotel' | 'car') {
  return {
    book: (input: Trip, context: AgentContext) => ask<{ id: string }>(kind, { ...input }, context),
    // Also for a booking that nobody has an answer to: then the key says what to cancel, and there is no id.
    cancel: (_input: { booking: string }, context: AgentContext) => undo(context),
  }
}

export const flights = defineAgent('flights', bookingsOf('flight'))
export const hotels = defineAgent('hotels', bookingsOf('hotel'))
export const cars = defineAgent('cars', bookingsOf('car'))

const patience = { completeWithin: '2s', maxFailures: 20, retryBackoff: { min: '100ms', max: '1s' } } as const

/**
 * Flight and hotel side by side, then the car. No seat means no trip: what was booked is cancelled. No room or car means
 * that everything is cancelled and tried once more, since availabilities change.
 */
export const bookTrip = defineWorkflow<Trip>(
  'book-trip',
  (job) => {
    const { traveller, destination } = job.input
    const trip = { traveller, destination }
    const flight = job.step('flight', flights.book, trip, {
      ...patience,
      onExhausted: 'compensate',
      undo: ({ id }) => flights.cancel({ booking: id }),
    })
    const hotel = job.step('hotel', hotels.book, trip, {
      ...patience,
      undo: ({ id }) => hotels.cancel({ booking: id }),
    })
    job.step('car', cars.book, trip, {
      ...patience,
      after: [flight, hotel],
      undo: ({ id }) => cars.cancel({ booking: id }),
    })
    job.onExhausted('compensateThenRetry', { maxGenerations: 2 })
  },
  { jobId: ({ traveller }) => traveller },
)
