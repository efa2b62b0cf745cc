import { expect, it } from 'vitest'
import { instanceNameOf } from '../../../src/connection/instance-name.js'
import { seededRandom } from '../../../src/platform/index.js'

it('an instance name consists of site, slot, machine and a random end on App Service', () => {
  const environment = { WEBSITE_SITE_NAME: 'shop', WEBSITE_INSTANCE_ID: '0123456789abcdef' }
  const random = seededRandom(1)
  const first = instanceNameOf(random, environment)
  expect(first).toMatch(/^shop-production-01234567-[0-9a-f]{6}$/)
  expect(instanceNameOf(random, environment)).not.toBe(first)
  expect(instanceNameOf(random, { ...environment, WEBSITE_SLOT_NAME: 'staging' })).toMatch(/^shop-staging-/)
})

it('an instance name contains machine and process elsewhere', () => {
  expect(instanceNameOf(seededRandom(1), {})).toMatch(new RegExp(`-${process.pid}-[0-9a-f]{6}$`))
})

it('an instance name has at most 100 printable characters, and keeps its random end', () => {
  const environment = { WEBSITE_SITE_NAME: 'ü'.repeat(200), WEBSITE_INSTANCE_ID: 'x' }
  const name = instanceNameOf(seededRandom(1), environment)
  expect(name).toMatch(/^_+-production-x-[0-9a-f]{6}$/)
  expect(name).toHaveLength(100)
})
