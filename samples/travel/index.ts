import { defineAgent, defineWorkflow, type AgentContext } from 'stepward'
import { ask, undo } from '../remote-service/ask.js'

/** A trip. Either the whole trip is booked, or no part of it. */
export interface Trip {
  readonly traveller: string
  readonly destination: string
}

function bookingsOf(kind: 'flight' | 'hotel' | 'car') {
  return {
    book: (input: Trip, context: AgentContext) => ask<{ id: string }>(kind, { ...input }, context),
    // If the answer to the booking was lost, there is no id. So the key identifies the booking to cancel.
    cancel: (_input: { booking: string }, context: AgentContext) => undo(context),
  }
}

export const flights = defineAgent('flights', bookingsOf('flight'))
export const hotels = defineAgent('hotels', bookingsOf('hotel'))
export const cars = defineAgent('cars', bookingsOf('car'))

const patience = { completeWithin: '2s', retry: { tries: 20, backoff: { min: '100ms', max: '1s' } } } as const

/**
 * Books the flight and the hotel in parallel, and then the car. If there is no seat, the trip fails and
 * existing bookings are cancelled. If there is no room or car, all bookings are cancelled and the trip is
 * tried once more, because availability changes.
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
