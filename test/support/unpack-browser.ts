import { anyBrowserPath } from './browser.js'

/** Unpacks the browser before any test, because two processes that unpack it at the same time break it. */
export default async function unpackBrowser(): Promise<void> {
  await anyBrowserPath()
}
