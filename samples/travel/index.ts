import { defineAgent, defineWorkflow, type AgentContext } from 'stepward'
import { ask, undo } from '../remote-service/ask.js'

/** A trip that is booked as a whole, or not at all. */
export interface Trip {
  readonly traveller: string
  readonly destination: string
}

/** Returns the functions that book and cancel one kind of booking. */
function bookingsOf(kind: 'flight' | 'hotel' | 'car') {
  return {
    book: (input: Trip, context: AgentContext) => ask<{ id: string }>(kind, { ...input }, context),
    // Also cancels a booking whose answer was lost: then there is no id, and the key says what to cancel.
    cancel: (_input: { booking: string }, context: AgentContext) => undo(context),
  }
}

export const flights = defineAgent('flights', bookingsOf('flight'))
export const hotels = defineAgent('hotels', bookingsOf('hotel'))
export const cars = defineAgent('cars', bookingsOf('car'))

const patience = { completeWithin: '2s', retry: { tries: 20, backoff: { min: '100ms', max: '1s' } } } as const

/**
 * Books flight and hotel in parallel, then the car. Without a seat there is no trip, and existing bookings
 * are cancelled. Without a room or car, everything is cancelled and tried once more, since availability
 * changes.
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
