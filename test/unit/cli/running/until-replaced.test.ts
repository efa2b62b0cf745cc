import { expect, it } from 'vitest'
import { ContainerReplacedError, FeedError } from '../../../../src/change-feed-processor/index.js'
import { untilReplaced } from '../../../../src/cli/running/until-ended.js'

const about = { processorName: 'unit', instanceName: 'one', leaseToken: '0' }

it('a process ends if an event says that its container was replaced, however deep in the causes, and not for other errors', async () => {
  const { telemetry, end } = untilReplaced()
  let hasEnded = false
  const ended = end.then((found) => {
    hasEnded = true
    return found
  })
  telemetry.emit({ type: 'feed.failed', ...about, error: new FeedError('the feed', new Error('no network')) })
  await Promise.resolve()
  await Promise.resolve()
  expect(hasEnded).toBe(false)
  const replaced = new ContainerReplacedError('former', 'new')
  const error = new FeedError('the lease', new Error('was not written', { cause: replaced }))
  telemetry.emit({ type: 'feed.failed', ...about, error })
  expect(await ended).toEqual({ why: 'the container was replaced', error: replaced, isCutOff: true })
})
