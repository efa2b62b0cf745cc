import { describe, expect, it } from 'vitest'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { decodeDelivered } from '../../../../src/sas/model/delivered/decode-delivered.js'
import { JobStory } from '../../../support/job-story.js'

describe('a document that the feed delivered', () => {
  it('is read only once, however many roles receive it', () => {
    const document = { ...JobStory.submitted({ pay: [] }, {}).scheduled().step('pay') }
    const decoded = decodeDelivered(document)
    expect(decoded).toEqual(decodeDocument(document))
    expect(decodeDelivered(document)).toBe(decoded)
    expect(decodeDelivered({ ...document, fence: document.fence + 1 })).not.toEqual(decoded)
  })
})
