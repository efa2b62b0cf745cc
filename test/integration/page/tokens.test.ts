import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { ask, bank, buying, type Answer } from './a-page.js'

const store = createInProcessCosmos()
const [tenantId, clientId, publicUrl] = ['the-tenant', 'the-client', 'https://jobs.example']
let [host, origin, authority] = [null as Host | null, '', '']
let [own, other] = [null, null] as readonly [CryptoKey | null, CryptoKey | null]
/** The own key, for another algorithm. */
let ofOtherAlgorithm: CryptoKey | null = null
/** A stand-in for Entra ID, which publishes the keys of the tenant. */
let areKeysAway = false
const entra = createServer((request, response) => {
  if (areKeysAway || request.url !== `/${tenantId}/discovery/v2.0/keys`) {
    response.writeHead(503).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(published))
})
const published: { keys: object[] } = { keys: [] }

interface Token {
  readonly key?: CryptoKey | null
  readonly algorithm?: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly issuer?: string
  readonly audience?: string
  readonly expiresIn?: string | null
  readonly notBefore?: string
}

function tokenWith({ key = own, claims = {}, audience = clientId, ...token }: Token = {}): Promise<string> {
  const { issuer = `${authority}/${tenantId}/v2.0`, expiresIn = '10m', notBefore = '-1m' } = token
  const { algorithm = 'RS256' } = token
  if (key === null) throw new Error('no key yet')
  const signing = new SignJWT({ preferred_username: 'ada@contoso.example', roles: ['Operator'], ...claims })
    .setProtectedHeader({ alg: algorithm, kid: 'one' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setNotBefore(notBefore)
  return (expiresIn === null ? signing : signing.setExpirationTime(expiresIn)).sign(key)
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const get = (path: string, headers: Record<string, string>): Promise<Answer> =>
  ask(`${origin}${path}`, { headers })

beforeAll(async () => {
  const mine = await generateKeyPair('RS256', { extractable: true })
  const foreign = await generateKeyPair('RS256')
  ;[own, other] = [mine.privateKey, foreign.privateKey]
  const { alg: _alg, ...half } = await exportJWK(mine.privateKey)
  ofOtherAlgorithm = (await importJWK(half, 'PS256')) as CryptoKey
  // Entra ID names no algorithm of its keys.
  published.keys = [{ ...(await exportJWK(mine.publicKey)), kid: 'one', use: 'sig' }]
  await new Promise<void>((resolve) => entra.listen(0, '127.0.0.1', resolve))
  authority = `http://127.0.0.1:${(entra.address() as AddressInfo).port}`
  const page = { entra: { tenantId, clientId, authority }, publicUrl }
  host = await startHost({ embedded: store, agents: [bank], port: 0, page })
  origin = `http://127.0.0.1:${host.port ?? 0}`
  await host.client.submit(buying, { jobId: 'J-1', isRefused: false, amount: 1 })
})
afterAll(async () => {
  await host?.stop()
  await store.close()
  entra.close()
})

describe('a page that accepts tokens of Microsoft Entra ID', () => {
  it('is on the port of the host, under the address of the proxy', async () => {
    expect(host?.page?.address).toBe('https://jobs.example/')
    expect((await get('/', {})).text).toContain('<!doctype html>')
    expect((await get('/api/jobs', bearer(await tokenWith()))).status).toBe(200)
  })

  it('first answers that the keys cannot be read, and then reads them', async () => {
    const late = createInProcessCosmos()
    areKeysAway = true
    const page = { entra: { tenantId, clientId, authority }, publicUrl }
    const another = await startHost({ embedded: late, agents: [bank], port: 0, page })
    const jobs = `http://127.0.0.1:${another.port ?? 0}/api/jobs`
    const headers = bearer(await tokenWith())
    const away = await ask(jobs, { headers })
    areKeysAway = false
    const back = await ask(jobs, { headers })
    await another.stop()
    await late.close()
    expect([away.status, back.status]).toEqual([503, 200])
    expect(away.text).toContain('The keys of Microsoft Entra ID cannot be read')
  })

  it.each<{ why: string; token: Token }>([
    { why: 'signed with another key', token: { key: 'other' as never } },
    { why: 'of another tenant', token: { issuer: 'https://sts.windows.net/another/' } },
    { why: 'for another application', token: { audience: 'another' } },
    { why: 'that has expired', token: { expiresIn: '-2m' } },
    { why: 'that never expires', token: { expiresIn: null } },
    { why: 'that is not valid yet', token: { notBefore: '5m' } },
    { why: 'that names no one', token: { claims: { preferred_username: '' } } },
  ])('refuses a token $why', async ({ token }) => {
    const isForeign = token.key !== undefined
    const { status, text } = await get(
      '/api/jobs',
      bearer(await tokenWith({ ...token, ...(isForeign ? { key: other } : {}) })),
    )
    expect(status).toBe(401)
    expect(text).toMatch(/NotSignedIn/)
    expect(text).not.toContain('ada@contoso.example')
  })

  it('refuses a token that is signed with the right key and another algorithm', async () => {
    const token = await tokenWith({ key: ofOtherAlgorithm, algorithm: 'PS256' })
    expect((await get('/api/jobs', bearer(token))).status).toBe(401)
  })

  it('refuses requests without a token, with parts of one, and with one that is not signed', async () => {
    const token = await tokenWith()
    const [head = '', body = ''] = token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const platform = Buffer.from('{"claims":[{"typ":"roles","val":"Admin"}]}').toString('base64')
    for (const headers of [
      {},
      { authorization: token },
      { authorization: `Basic ${token}` },
      { authorization: 'Bearer ' },
      { authorization: `Bearer ${head}.${body}.` },
      { authorization: `Bearer ${none}.${body}.` },
      { 'x-ms-client-principal': platform },
      { cookie: `token=${token}` },
    ]) {
      expect((await get('/api/jobs', headers as Record<string, string>)).status).toBe(401)
    }
  })

  it('takes the roles and the name for decisions from the token', async () => {
    const post = async (roles: readonly string[]) =>
      ask(
        `${origin}/api/actions/cancel`,
        {
          method: 'POST',
          headers: {
            ...bearer(await tokenWith({ claims: { roles } })),
            origin: publicUrl,
            'content-type': 'application/json',
          },
        },
        JSON.stringify({ job: { jobId: 'J-1' }, why: 'late' }),
      )
    expect((await post([])).status).toBe(403)
    expect((await post(['Viewer'])).status).toBe(403)
    expect((await post(['Operator'])).status).toBe(200)
    expect((await (await host?.client.get('J-1'))?.view())?.audit).toMatchObject([
      { command: 'cancel', by: 'ada@contoso.example', why: 'late' },
    ])
  })

  it.each<[string, unknown]>([
    ['without roles', undefined],
    ['with an unknown role', ['Reader']],
    ['whose roles are no list', 'Admin'],
  ])('shows nothing to a token %s', async (_which, roles) => {
    const headers = bearer(await tokenWith({ claims: { roles } }))
    for (const address of ['/api/jobs', '/api/changes']) {
      const { status, text } = await get(address, headers)
      expect(status).toBe(403)
      expect(text).toContain('has none of the app roles')
    }
  })

  it('carries out no action of another origin', async () => {
    const headers = { ...bearer(await tokenWith()), 'content-type': 'application/json' }
    const body = JSON.stringify({ job: { jobId: 'J-1' }, why: 'x', dryRun: true })
    const asking = (from: string) =>
      ask(`${origin}/api/actions/cancel`, { method: 'POST', headers: { ...headers, origin: from } }, body)
    expect((await asking('https://evil.example')).status).toBe(403)
    expect((await asking(origin)).status).toBe(403)
  })

  it('ends the stream of changes when the token expires', async () => {
    // A token counts for a minute longer than it says.
    const token = await tokenWith({ expiresIn: '-30s' })
    const { status, text } = await get('/api/changes', bearer(token))
    expect(status).toBe(200)
    expect(text).toContain('retry: 2000')
  })
})

it.each([
  { page: { entra: { tenantId, clientId } }, rule: 'page.entra needs page.publicUrl' },
  { page: { entra: { tenantId: '' }, publicUrl }, rule: 'page.entra.tenantId' },
  { page: { publicUrl: 'https://jobs.example/path' }, rule: 'page.publicUrl' },
])('refuses the settings $page', async ({ page, rule }) => {
  const embedded = createInProcessCosmos()
  await expect(startHost({ embedded, agents: [bank], port: 0, page: page as never })).rejects.toThrow(rule)
  await embedded.close()
})
