/**
 * `npm run soak:page -- --minutes 60` keeps all views of the page open in a Chromium, each in a tab of its own, while jobs
 * cause 50 changes a second. It prints the heaps of the views and of the server again and again. It also prints how long
 * a change takes to reach the screen, the first paint and the time to draw 1,000 steps.
 *
 * `-- --day` sends the changes of 24 hours as fast as the tabs handle them, and moves the clocks of the store and of the tabs
 * with the changes. `--total` sets another number of changes. `--views now,jobs` opens only some views.
 *
 * The command exits with 1 if a heap still grows in the second half.
 */
import { loadavg } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { anyBrowserPath } from '../support/browser.js'
import { aDay } from './page-soak/day.js'
import { someMinutes } from './page-soak/some-minutes.js'
import { shownStore, views } from './page-soak/shown-store.js'
import { OpenViews } from './page-soak/open-views.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    changes: { type: 'string', default: '50' },
    samples: { type: 'string', default: '18' },
    day: { type: 'boolean', default: false },
    total: { type: 'string', default: String(50 * 86_400) },
    views: { type: 'string' },
  },
})

function numberOf(name: 'minutes' | 'changes' | 'samples' | 'total'): number {
  const value = Number(values[name])
  if (!(value > 0)) throw new RangeError(`--${name} ${values[name]}: must be a number above 0`)
  return value
}

const names = views.map(([name]) => name)
const wanted = values.views?.split(',') ?? names
const unknown = wanted.find((name) => !names.includes(name))
if (unknown !== undefined) throw new RangeError(`--views ${unknown}: the views are ${names.join(', ')}`)
const path = await anyBrowserPath()
if (path === null) throw new Error('no Chromium runs on this machine')

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
const store = await shownStore()
const opened = await OpenViews.open(path, store, {
  views: views.filter(([name]) => wanted.includes(name)),
  isStepped: values.day,
})
const samples = numberOf('samples')
const curve = values.day
  ? await aDay(store, opened, { total: numberOf('total'), samples, print })
  : await someMinutes(store, opened, {
      minutes: numberOf('minutes'),
      changes: numberOf('changes'),
      samples,
      print,
    })
print(`load of the machine: ${(loadavg()[0] ?? 0).toFixed(1)}`)
const grown = curve.growing()
const complaints = opened.complaints()
for (const name of grown) print(`the heap of ${name} still grows in the second half`)
for (const complaint of complaints) print(complaint)
await opened.close()
await store.close()
process.exitCode = grown.length + complaints.length === 0 ? 0 : 1
