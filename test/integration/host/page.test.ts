import { defineAgent, defineWorkflow, startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { expect, it } from 'vitest'

const shop = defineAgent('shop', { count: async () => 1 })
const stock = defineWorkflow(
  'stock',
  (job) => {
    job.step('count', shop.count, {}, { undo: 'none' })
  },
  { jobId: ({ id }: { readonly id: string }) => id },
)

/** Signs in with an address, and returns a function that reads from the page. */
async function reading(address: string): Promise<(path: string) => Promise<unknown>> {
  const signedIn = await fetch(address, { redirect: 'manual' })
  expect(signedIn.status).toBe(303)
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  return async (path) => (await fetch(new URL(path, address), { headers: { cookie } })).json()
}

it('a host serves a page, whose address signs in, until the host stops', async () => {
  const embedded = createInProcessCosmos()
  const page = { port: 0, by: 'ada', workflows: [stock] }
  const host = await startHost({ embedded, agents: [shop], page })
  const address = host.page?.address ?? ''
  const read = await reading(address)
  expect(await read('/api/about')).toMatchObject({ by: 'ada', workflows: [{ name: 'stock' }] })
  const job = await host.client.submit(stock, { id: 'J-1' })
  await job.result()
  expect(await read('/api/jobs')).toMatchObject({ jobs: [{ jobId: 'J-1', state: 'Processed' }] })
  expect(host.page?.address).not.toBe(address)
  await reading(host.page?.address ?? '')
  await host.stop()
  await expect(fetch(address)).rejects.toThrow('fetch failed')
  await embedded.close()
})

it('hosts of one machine take different ports, and a host without the option serves no page', async () => {
  const embedded = createInProcessCosmos()
  const [one, other, none] = await Promise.all(
    [true, true, false].map((page) => startHost({ embedded, agents: [shop], page })),
  )
  const [first, second] = [one, other].map((host) => new URL(host?.page?.address ?? '').port)
  expect(first).not.toBe(second)
  expect(none?.page).toBeNull()
  for (const host of [one, other, none]) await host?.stop()
  await embedded.close()
})

it.each([['no'], [{ port: -1 }], [{ workflows: ['stock'] }], [{ host: '0.0.0.0' }]])(
  'a host refuses the page %j',
  async (page) => {
    const options = { embedded: createInProcessCosmos(), agents: [shop], page } as unknown
    await expect(startHost(options as Parameters<typeof startHost>[0])).rejects.toThrow(/page/)
  },
)
