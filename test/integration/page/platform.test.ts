import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, bank, buying, hostile, type Answer } from './a-page.js'

const store = createInProcessCosmos()
let host: Host
let origin: string

/** The headers that the platform writes for a person. */
function person(name: string, roles: readonly string[]): Record<string, string> {
  const claims = [
    { typ: 'name', val: `The name of ${name}` },
    { typ: 'preferred_username', val: name },
    ...roles.map((val) => ({ typ: 'roles', val })),
  ]
  const principal = { auth_typ: 'aad', name_typ: 'name', role_typ: 'roles', claims }
  return { 'x-ms-client-principal': Buffer.from(JSON.stringify(principal)).toString('base64') }
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(`${origin}${path}`, { headers: { host: 'jobs.example', ...headers } })

function post(path: string, body: object, headers: Record<string, string>): Promise<Answer> {
  const sent = { host: 'jobs.example', origin: 'https://jobs.example', 'content-type': 'application/json' }
  return ask(`${origin}${path}`, { method: 'POST', headers: { ...sent, ...headers } }, JSON.stringify(body))
}

function onAppService(): void {
  vi.stubEnv('WEBSITE_AUTH_ENABLED', 'True')
  vi.stubEnv('WEBSITE_SITE_NAME', 'jobs')
  vi.stubEnv('WEBSITE_HOSTNAME', 'jobs.example')
}

beforeAll(async () => {
  onAppService()
  host = await startHost({ embedded: store, agents: [bank], port: 0, page: true })
  origin = `http://127.0.0.1:${host.port ?? 0}`
  for (const jobId of ['J-1', 'J-2', 'J-3']) {
    await host.client.submit(buying, { jobId, isRefused: false, amount: 1 })
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await host.stop()
  await store.close()
})

describe('the page on App Service with authentication', () => {
  it('is on the port of the host, next to probes and metrics', async () => {
    expect(host.page?.address).toBe('https://jobs.example/')
    expect((await get('/')).text).toContain('<!doctype html>')
    expect((await get('/healthz')).text).toContain('isHealthy')
    expect((await get('/metrics')).headers['content-type']).toContain('version=0.0.4')
    expect((await get('/?token=x')).status).toBe(200)
  })

  it('answers no request without a person of the platform', async () => {
    for (const headers of [
      {},
      { 'x-ms-client-principal-name': 'ada' },
      { 'x-ms-client-principal': 'e30=' },
      { 'x-ms-client-principal': 'not base64' },
      { 'x-ms-client-principal': Buffer.from('{"claims":[]}').toString('base64') },
      { cookie: `stepward-page-${host.port ?? 0}=${'0'.repeat(64)}` },
    ]) {
      const { status, text } = await get('/api/jobs', headers)
      expect(status, JSON.stringify(headers)).toBe(401)
      expect(JSON.parse(text)).toMatchObject({ error: { name: 'NotSignedIn' } })
    }
  })

  it('answers no person without one of the app roles', async () => {
    for (const roles of [[], ['Reader'], ['admin'], ['Viewer,Admin']]) {
      const { status, text } = await get('/api/jobs', person('ada@contoso.example', roles))
      expect(status).toBe(403)
      expect(text).toContain('ada@contoso.example has none of the app roles')
    }
  })

  it.each([
    ['Viewer', 200, 403, 403, 403],
    ['Approver', 200, 403, 200, 403],
    ['Operator', 200, 200, 200, 403],
    ['Admin', 200, 200, 200, 404],
  ])('%s may read, cancel, raise and delete: %d, %d, %d, %d', async (role, ...statuses) => {
    const [reads, cancels, raises, deletes] = statuses
    const who = person(`${role} ${hostile}`, [role])
    expect((await get('/api/jobs', who)).status).toBe(reads)
    const cancel = { job: { jobId: 'J-1' }, why: 'tried', dryRun: true }
    expect((await post('/api/actions/cancel', cancel, who)).status).toBe(cancels)
    const raise = { job: { jobId: 'J-2' }, step: 'delivery', payload: 1 }
    expect((await post('/api/actions/raise', raise, who)).status).toBe(raises)
    // A role that permits it reaches the client, which finds no such job.
    const answer = { job: { jobId: 'none' }, step: 'review', answer: true }
    expect((await post('/api/actions/answer', answer, who)).status).toBe(raises === 403 ? 403 : 404)
    const remove = { schedule: 'none', why: 'over' }
    expect((await post('/api/actions/schedule/delete', remove, who)).status).toBe(deletes)
    // The library refuses both, because nothing is paused and no such job exists.
    const resume = { target: { kind: 'workflow', name: 'none' } }
    expect((await post('/api/actions/resume', resume, who)).status).toBe(cancels === 403 ? 403 : 409)
    const migrate = { job: { jobId: 'none' }, why: 'newer' }
    expect((await post('/api/actions/migrate', migrate, who)).status).toBe(cancels === 403 ? 403 : 404)
    expect((await get('/api/pauses', who)).status).toBe(200)
    const { may } = JSON.parse((await get('/api/about', who)).text) as { may: string[] }
    const sees = await get('/api/dead-letters?container=none', who)
    expect([sees.status === 403, may.includes('dead-letters')]).toEqual([cancels === 403, cancels !== 403])
    expect([may.includes('cancel'), may.includes('raise'), may.includes('schedule delete')]).toEqual(
      [cancels, raises, deletes].map((status) => status !== 403),
    )
  })

  it('keeps the name of the person with the decision', async () => {
    const who = person('grace@contoso.example', ['Operator'])
    expect((await post('/api/actions/cancel', { job: { jobId: 'J-3' }, why: 'late' }, who)).status).toBe(200)
    expect((await (await host.client.get('J-3'))?.view())?.audit).toMatchObject([
      { command: 'cancel', by: 'grace@contoso.example', why: 'late' },
    ])
  })

  it('carries out no action of another site, which the cookie of the platform would permit', async () => {
    const who = person('ada@contoso.example', ['Admin'])
    const body = { job: { jobId: 'J-1' }, why: 'x', dryRun: true }
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://jobs.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await post('/api/actions/cancel', body, { ...who, ...headers })).status).toBe(403)
    }
    expect((await post('/api/actions/cancel', body, { ...who, 'content-type': 'text/plain' })).status).toBe(
      415,
    )
  })
})

it.each([
  ['off', 'False', 'jobs'],
  ['not named', '', 'jobs'],
  ['on, outside of App Service', 'True', ''],
])('forged headers are not believed if authentication is %s', async (_what, enabled, site) => {
  vi.stubEnv('WEBSITE_AUTH_ENABLED', enabled)
  vi.stubEnv('WEBSITE_SITE_NAME', site)
  const other = await startHost({ embedded: store, agents: [bank], port: 0, page: { port: 0 } })
  try {
    const admin = person('ada', ['Admin'])
    const onPort = await ask(`http://127.0.0.1:${other.port ?? 0}/api/jobs`, { headers: admin })
    expect(onPort.status).toBe(404)
    const { origin: loopback } = new URL(other.page?.address ?? '')
    expect(loopback).toContain('127.0.0.1')
    expect((await ask(`${loopback}/api/jobs`, { headers: admin })).status).toBe(401)
  } finally {
    await other.stop()
    onAppService()
  }
})

it('a host without a port refuses a page on App Service', async () => {
  await expect(startHost({ embedded: store, agents: [bank], page: true })).rejects.toThrow(/needs port/)
})
