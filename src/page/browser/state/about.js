/** @import { About } from './shapes.js' */
import { signal } from '@preact/signals'

/** The store that the page shows, or null before it is known. */
export const about = signal(/** @type {About | null} */ (null))
