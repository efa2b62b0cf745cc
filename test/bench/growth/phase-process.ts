import process from 'node:process'
import { run, type Phase } from './phases.js'

/** Runs the phase that the parent sends, and sends back its figures. */
process.once('message', (phase: Phase) => {
  run(phase).then(
    (figures) => {
      process.send?.(figures)
      process.disconnect()
    },
    (error: unknown) => {
      throw error
    },
  )
})
