import { expect, it } from 'vitest'
import { cli, run, startEmulatorProcess } from './processes.js'

it('stepward emulator split takes its own key and endpoint, and says what it was refused with', async () => {
  const { endpoint } = await startEmulatorProcess(['--port', '0'])
  const split = ['emulator', 'split', 'shop/orders', '--endpoint', endpoint]
  const missing = await run(cli, split, {})
  expect(missing).toMatchObject({ code: 3, stdout: '' })
  expect(missing.stderr).toContain("The container 'shop/orders' does not exist")
  const stranger = await run(cli, [...split, '--key', Buffer.from('another').toString('base64')], {})
  expect(stranger).toMatchObject({ code: 5, stdout: '' })
})
