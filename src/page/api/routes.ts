import { actions } from './actions.js'
import { costs } from './costs.js'
import { fleetRoutes } from './fleet.js'
import { historyRoutes } from './past/history.js'
import { limitRoutes } from './limits.js'
import { looks } from './looks.js'
import { pauseRoutes } from './pauses.js'
import { questionRoutes } from './questions.js'
import { records } from './past/records.js'
import { repairs } from './repairs.js'
import type { Route } from './route.js'
import { scheduleRoutes } from './schedules.js'
import { triageRoutes } from './triage.js'

/** Every route of the API, except the stream of changes and the description of the API. */
export const routes: readonly Route[] = [
  ...looks,
  ...historyRoutes,
  ...actions,
  ...repairs,
  ...triageRoutes,
  ...pauseRoutes,
  ...questionRoutes,
  ...scheduleRoutes,
  ...limitRoutes,
  ...fleetRoutes,
  ...records,
  ...costs,
]

/**
 * Returns the name of a route in the list of what a person may use: an action, or a read that only some roles may use.
 * Returns null for any other route.
 */
export function rightTo(route: Route): string | null {
  const isForSome = route.method === 'GET' && route.roles !== undefined
  return isForSome ? route.path.slice('/api/'.length) : commandOfRoute(route)
}

/** Returns the command of the command line that does the same as an action, or null for a route that is none. */
export function commandOfRoute({ method, path }: Route): string | null {
  return method === 'POST' && path.startsWith('/api/actions/')
    ? path.slice('/api/actions/'.length).replaceAll('/', ' ')
    : null
}
