import { expect, it } from 'vitest'
import { cli, ordersModule, run, start, temporaryDirectory } from './processes.js'

it('`page` prints an address that signs in one browser, and closes the store at its end', async () => {
  const data = await temporaryDirectory()
  expect((await run(cli, ['provision', '--data', data])).code).toBe(0)
  const page = start(cli, ['page', '--data', data, '--port', '0', '--workflows', ordersModule, '--json'])
  const { address } = JSON.parse(await page.line('"address"')) as { address: string }
  const signedIn = await fetch(address, { redirect: 'manual' })
  expect(signedIn.status).toBe(303)
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const about = await fetch(new URL('/api/about', address), { headers: { cookie } })
  expect(await about.json()).toMatchObject({
    store: data,
    storeArguments: ['--data', data],
    workflows: [{ name: 'order-fulfilment', findsJobId: true }],
  })
  const jobs = await fetch(new URL('/api/jobs', address), { headers: { cookie } })
  expect(await jobs.json()).toMatchObject({
    jobs: [],
    next: null,
    unreadable: 0,
    charge: expect.any(Number) as unknown,
  })
  expect((await page.kill('SIGTERM')).code).toBe(0)
  expect((await run(cli, ['status', '--data', data])).code).toBe(0)
})

it('`page` refuses a port that is in use, and a store that does not exist', async () => {
  const data = await temporaryDirectory()
  expect((await run(cli, ['page', '--data', data])).code).toBe(2)
  expect((await run(cli, ['provision', '--data', data])).code).toBe(0)
  const first = start(cli, ['page', '--data', data, '--port', '0', '--json'])
  const { address } = JSON.parse(await first.line('"address"')) as { address: string }
  const second = await run(cli, ['page', '--data', data, '--port', new URL(address).port])
  expect(second.code).toBe(2)
  expect(second.stderr).toContain('is in use')
  await first.kill('SIGTERM')
})
