import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aPage, ask, type APage } from './a-page.js'

let page: APage
beforeAll(async () => {
  page = await aPage()
})
afterAll(() => page.close())

describe('the token', () => {
  it('signs in one browser, and is then replaced', async () => {
    const address = page.address()
    const first = await ask(address)
    expect(first.status).toBe(303)
    expect(first.headers.location).toBe('/')
    expect(first.headers['set-cookie']?.[0]).toMatch(
      /^stepward-page-\d+=\w{64}; HttpOnly; SameSite=Strict; Path=\/$/,
    )
    const stale = await ask(address)
    expect(stale.status).toBe(403)
    expect(stale.headers['set-cookie']).toBeUndefined()
    expect(page.address()).not.toBe(address)
    expect((await ask(page.address())).status).toBe(303)
  })

  it.each(['', 'x', '0'.repeat(64)])('%j signs in no browser', async (token) => {
    const { status, headers } = await ask(`${page.origin}/?token=${token}`)
    expect(status).toBe(403)
    expect(headers['set-cookie']).toBeUndefined()
  })
})

describe('the API', () => {
  it.each(['/api/jobs', '/api/openapi.json', '/api/changes', '/api/none'])(
    'answers no request for %s without the cookie of a session',
    async (path) => {
      const [name = ''] = page.cookie.split('=')
      for (const cookie of ['', `${name}=`, `${name}=${'0'.repeat(64)}`, `other=${page.cookie}`]) {
        const { status, text } = await ask(`${page.origin}${path}`, { headers: { cookie } })
        expect(status).toBe(401)
        expect(text).toContain('stepward page')
      }
    },
  )

  it('answers a signed-in browser', async () => {
    expect((await page.get('/api/jobs')).status).toBe(200)
  })

  it.each([
    ['another name', 'evil.example'],
    ['a name that begins like ours', '127.0.0.1.evil.example'],
    ['no port', '127.0.0.1'],
    ['another port', '127.0.0.1:1'],
    ['another machine', '10.0.0.1'],
  ])('answers no request for a forged host: %s', async (_what, host) => {
    for (const path of ['/', '/api/jobs']) expect((await page.get(path, { host })).status).toBe(403)
  })

  it('answers at localhost and at the loopback address', async () => {
    const { port } = new URL(page.origin)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect((await page.get('/api/jobs', { host })).status).toBe(200)
    }
  })

  it.each(['http://evil.example', 'null', 'https://127.0.0.1', 'http://127.0.0.1:1'])(
    'answers no request of the origin %s',
    async (origin) => {
      expect((await page.get('/api/jobs', { origin })).status).toBe(403)
      expect((await page.post('/api/actions/cancel', {}, { origin })).status).toBe(403)
    },
  )

  it.each(['cross-site', 'same-site', 'none'])('carries out no action of a %s request', async (site) => {
    const { status } = await page.post('/api/actions/cancel', {}, { 'sec-fetch-site': site })
    expect(status).toBe(403)
  })

  it('carries out actions only by POST with JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      expect((await page.post('/api/actions/cancel', {}, { 'content-type': type })).status).toBe(415)
    }
    expect((await page.get('/api/actions/cancel')).status).toBe(404)
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const headers = { cookie: page.cookie }
      expect((await ask(`${page.origin}/api/jobs`, { method, headers })).status).toBe(405)
    }
  })

  it('refuses a path that is no address', async () => {
    const sent = { path: '//[', headers: { host: new URL(page.origin).host } }
    const answer = await ask(page.origin, sent)
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('the path of the request is not valid'),
    ])
  })

  it('reads no body without end, and none that is not JSON', async () => {
    const large = await page.post('/api/actions/cancel', { why: 'x'.repeat(2_000_001) })
    expect(large.status).toBe(413)
    const headers = { cookie: page.cookie, 'content-type': 'application/json' }
    const malformed = await ask(`${page.origin}/api/actions/cancel`, { method: 'POST', headers }, '{')
    expect(malformed.status).toBe(400)
  })
})

describe('every answer', () => {
  it('limits the page to its own files, and runs no code in the HTML but the import map', async () => {
    for (const path of ['/', '/jobs', '/api/jobs', '/modules/preact.js', '/none']) {
      const { headers } = await page.get(path)
      const policy = headers['content-security-policy']
      expect(policy).toMatch(/default-src 'none'; script-src 'self' 'sha256-[\w+/]+=*'; style-src 'self';/)
      expect(policy).not.toContain('unsafe')
      // No other page may show this one in a frame, and no module may turn a text into elements.
      expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'; ")
      // The only policy gives the address of the worker.
      expect(policy).toMatch(/; trusted-types stepward$/u)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['cross-origin-resource-policy']).toBe('same-origin')
    }
  })

  it.each([
    '/page/../index.ts',
    '/page/%2e%2e/index.ts',
    '/page//etc/passwd',
    '/modules/__proto__',
    '/modules/x',
  ])('contains no file outside the page: %s', async (path) => {
    expect((await page.get(path)).status).toBe(404)
  })
})
