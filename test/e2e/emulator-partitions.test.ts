import { expect, it } from 'vitest'
import { cli, run, startEmulatorProcess } from './processes.js'

it('`stepward emulator split` and `merge` take an endpoint and a key, and report refusals', async () => {
  const { endpoint } = await startEmulatorProcess(['--port', '0'])
  const split = ['emulator', 'split', 'shop/orders', '--endpoint', endpoint]
  const missing = await run(cli, split, {})
  expect(missing).toMatchObject({ code: 3, stdout: '' })
  expect(missing.stderr).toContain("The container 'shop/orders' does not exist")
  const merge = ['emulator', 'merge', 'shop/orders', '--endpoint', endpoint, '--ranges']
  const missingToo = await run(cli, [...merge, '0', '1'], {})
  expect(missingToo).toMatchObject({ code: 3, stdout: '' })
  const one = await run(cli, [...merge, '0'], {})
  expect(one).toMatchObject({ code: 2, stdout: '' })
  expect(one.stderr).toContain('two different range ids')
  const stranger = await run(cli, [...split, '--key', Buffer.from('another').toString('base64')], {})
  expect(stranger).toMatchObject({ code: 5, stdout: '' })
})
