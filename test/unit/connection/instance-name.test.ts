import { expect, it } from 'vitest'
import { instanceNameOf } from '../../../src/connection/instance-name.js'
import { seededRandom } from '../../../src/platform/index.js'

it('names the site, slot and machine on App Service, and ends in chance', () => {
  const environment = { WEBSITE_SITE_NAME: 'shop', WEBSITE_INSTANCE_ID: '0123456789abcdef' }
  const random = seededRandom(1)
  const first = instanceNameOf(random, environment)
  expect(first).toMatch(/^shop-production-01234567-[0-9a-f]{6}$/)
  expect(instanceNameOf(random, environment)).not.toBe(first)
  expect(instanceNameOf(random, { ...environment, WEBSITE_SLOT_NAME: 'staging' })).toMatch(/^shop-staging-/)
})

it('names the machine and process elsewhere', () => {
  expect(instanceNameOf(seededRandom(1), {})).toMatch(new RegExp(`-${process.pid}-[0-9a-f]{6}$`))
})

it('stays within 100 printable characters, and keeps the end that makes it unique', () => {
  const environment = { WEBSITE_SITE_NAME: 'ü'.repeat(200), WEBSITE_INSTANCE_ID: 'x' }
  const name = instanceNameOf(seededRandom(1), environment)
  expect(name).toMatch(/^_+-production-x-[0-9a-f]{6}$/)
  expect(name).toHaveLength(100)
})
