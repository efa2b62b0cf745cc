/**
 * A script that gives a tab a clock which other code moves, and counts the changes that the tab has handled. It runs before
 * the modules of the page, which are not changed.
 *
 * `stepped.after(count, ms)` waits until the tab has received that number of changes, moves the clock, lets all timers that
 * are due call their actions, and waits for the answers to the requests that these made. So neither the changes nor the time can run
 * ahead of the tab.
 */
export const steppedTime = `(() => {
  const real = {
    Date, EventSource, fetch: fetch.bind(window), perf: performance.now.bind(performance),
    set: setTimeout.bind(window), clear: clearTimeout.bind(window),
  }
  const timers = new Map()
  const found = { received: 0, cut: 0, opened: 0, asking: 0, asked: 0 }
  let [skewMs, lastId, told] = [0, 1e6, () => undefined]
  const nowMs = () => real.perf() + skewMs
  performance.now = nowMs
  window.Date = class extends real.Date {
    constructor(...parts) {
      super(...(parts.length === 0 ? [real.Date.now() + skewMs] : parts))
    }
    static now() {
      return real.Date.now() + skewMs
    }
  }
  const arm = (id, timer) => {
    timer.handle = real.set(() => fire(id, timer), Math.max(0, timer.dueMs - nowMs()))
  }
  const fire = (id, timer) => {
    if (timers.get(id) !== timer) return
    if (timer.everyMs === null) timers.delete(id)
    else {
      timer.dueMs = nowMs() + timer.everyMs
      arm(id, timer)
    }
    timer.call()
  }
  const begin = (call, ms, everyMs) => {
    lastId += 1
    const timer = { call, dueMs: nowMs() + (Number(ms) || 0), everyMs, handle: 0 }
    timers.set(lastId, timer)
    arm(lastId, timer)
    return lastId
  }
  const end = (id) => {
    const timer = timers.get(id)
    if (timer === undefined) real.clear(id)
    else real.clear(timer.handle)
    timers.delete(id)
  }
  window.setTimeout = (call, ms, ...parts) => begin(() => call(...parts), ms, null)
  window.setInterval = (call, ms, ...parts) => begin(() => call(...parts), ms, Math.max(1, Number(ms) || 0))
  window.clearTimeout = end
  window.clearInterval = end
  window.fetch = async (...parts) => {
    found.asking += 1
    found.asked += 1
    try {
      const answer = await real.fetch(...parts)
      const { status, statusText, headers } = answer
      return new Response(await answer.text(), { status, statusText, headers })
    } finally {
      found.asking -= 1
    }
  }
  // Without a shared worker, the tab has a stream of its own, whose changes are counted here.
  delete window.SharedWorker
  window.EventSource = class extends real.EventSource {
    constructor(...parts) {
      super(...parts)
      this.addEventListener('ready', () => {
        found.opened += 1
      })
      this.addEventListener('changes', ({ data }) => {
        const { jobs, steps, isCut } = JSON.parse(data)
        found.received += jobs.length + steps.length
        if (isCut) found.cut += 1
        // The other listeners of this event come first.
        real.set(() => told(), 0)
      })
    }
  }
  const turn = () => new Promise((resolve) => real.set(resolve, 0))
  const after = async (count, ms) => {
    while (found.received < count && found.cut === 0) await new Promise((resolve) => (told = resolve))
    if (found.cut > 0 || found.opened > 1) throw new Error('changes are missing: ' + JSON.stringify(found))
    await turn()
    skewMs += ms
    const due = [...timers].filter(([, { dueMs }]) => dueMs <= nowMs())
    for (const [id, timer] of due.sort(([, one], [, other]) => one.dueMs - other.dueMs)) {
      real.clear(timer.handle)
      fire(id, timer)
    }
    for (const [id, timer] of timers) {
      real.clear(timer.handle)
      arm(id, timer)
    }
    do await turn()
    while (found.asking > 0)
    return { ...found, timers: timers.size }
  }
  window.stepped = { after }
})()`

/** What a tab has done since it was opened. */
export interface Handled {
  /** The changes of jobs and steps that arrived. */
  readonly received: number
  /** The messages that left out changes. */
  readonly cut: number
  /** How often the stream began. */
  readonly opened: number
  /** The requests that the tab has made. */
  readonly asked: number
  /** The timers that are set. */
  readonly timers: number
}
