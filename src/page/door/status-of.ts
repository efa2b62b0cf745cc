import { BodyRefused } from './body.js'

/** Statuses by error name, like the exit codes of the command line. */
const statusByName: Readonly<Record<string, number>> = {
  RequestInvalid: 400,
  CommandInvalid: 400,
  SubmissionInvalid: 400,
  ScheduleInvalid: 400,
  JobNotFound: 404,
  UnitNotFound: 404,
  ContainerNotFound: 404,
  ScheduleNotFound: 404,
  StepNotFound: 404,
  ConfigurationInvalid: 400,
  FleetNotRunning: 409,
  AzureRefused: 503,
  CommandRefused: 409,
  JobConflict: 409,
  JobUnreadable: 409,
  StoreUnavailable: 503,
  StoreRefused: 503,
  PayloadUnavailable: 503,
}

/** Returns the status of the answer to a request that failed with this error. */
export function statusOf(error: unknown): number {
  if (error instanceof BodyRefused) return error.status
  return (error instanceof Error ? statusByName[error.name] : undefined) ?? 500
}
