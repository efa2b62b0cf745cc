import { expect, it } from 'vitest'
import { bodyOf, hintsOf, paths, sessionOf, signatureOf } from '../../../src/wake-up/message.js'
import { isOnLoopback, wakeAddressOf, wakeAddressText } from '../../../src/wake-up/wake-address.js'

const key = 'k-0123456789abcdef'
const now = Date.UTC(2026, 0, 1)
const content = { wake: { agents: ['0'] }, awaited: { session: 's', jobs: [['pk', 'job']] } }

function signed(body: string, path: string = paths.hints) {
  return { path, body, signature: signatureOf(path, body, key) }
}

it('a signed message is believed for five minutes before and after its time', () => {
  const received = signed(bodyOf(content, now))
  for (const ms of [-300_000, 0, 300_000]) expect(hintsOf(received, key, now + ms)).toMatchObject(content)
  for (const ms of [-300_001, 300_001]) expect(hintsOf(received, key, now + ms)).toBeNull()
})

it('a message with another key, body, path or signature is not believed', () => {
  const body = bodyOf(content, now)
  const received = signed(body)
  expect(hintsOf(received, 'another-key-0123456789', now)).toBeNull()
  expect(hintsOf({ ...received, body: body.replace('agents', 'scheduler') }, key, now)).toBeNull()
  expect(hintsOf({ ...received, signature: '' }, key, now)).toBeNull()
  expect(hintsOf({ ...received, signature: 'ü'.repeat(received.signature.length) }, key, now)).toBeNull()
  expect(hintsOf({ ...received, path: paths.ended }, key, now)).toBeNull()
})

it.each(['', 'null', '[]', '{"at":1}', bodyOf({ wake: { cook: ['0'] } }, now), bodyOf({ wake: 7 }, now)])(
  'a signed body of another form is not believed: %s',
  (body) => {
    expect(hintsOf(signed(body), key, now)).toBeNull()
  },
)

it('a question names its session', () => {
  const received = signed(bodyOf({ session: 's' }, now), paths.ended)
  expect(sessionOf(received, key, now)).toBe('s')
  expect(
    sessionOf({ ...received, signature: signatureOf(paths.hints, received.body, key) }, key, now),
  ).toBeNull()
})

it('an address is read from a lease as it was written', () => {
  const address = { origin: 'http://10.0.0.4:8181', key }
  expect(wakeAddressOf(wakeAddressText(address))).toEqual(address)
  expect(isOnLoopback(address)).toBe(false)
  for (const host of ['127.0.0.1', '127.8.0.1', 'localhost', '[::1]'])
    expect(isOnLoopback({ origin: `http://${host}:1`, key })).toBe(true)
})

it.each([
  '',
  'no url',
  `ftp://10.0.0.4#${key}`,
  `http://user:secret@10.0.0.4#${key}`,
  `http://10.0.0.4/path#${key}`,
  `http://10.0.0.4/?a=1#${key}`,
  'http://10.0.0.4:8181',
  'http://10.0.0.4:8181#short',
])('no hint is sent to the address %s', (text) => {
  expect(wakeAddressOf(text)).toBeNull()
})
