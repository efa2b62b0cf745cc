import { actions } from './actions.js'
import { looks } from './looks.js'
import type { Route } from './route.js'

/** Every route of the API, except the stream of changes and the description of the API. */
export const routes: readonly Route[] = [...looks, ...actions]
