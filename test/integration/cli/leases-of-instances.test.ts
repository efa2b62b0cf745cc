import { expect, it, onTestFinished } from 'vitest'
import { doctor } from '../../../src/cli/commands/operations/doctor.js'
import { leases } from '../../../src/cli/commands/operations/leases.js'
import { provision } from '../../../src/connection/internal.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { startHost } from '../../../src/host/index.js'
import { defineAgent } from '../../../src/sas/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

interface LeaseText {
  readonly id: string
  readonly timestamp: string
  readonly properties: Record<string, string>
}

it('`leases` says how busy an instance is, how long steps wait for it, which circuits are open and whether its clock is wrong', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const store = { endpoint: emulator.endpoint, key: emulator.key }
  await provision(store)
  const telemetry = new TelemetryRecorder()
  const bank = defineAgent('bank', { pay: () => null })
  const host = await startHost({ ...store, agents: [bank], slots: 7, instanceName: 'vm-1', telemetry })
  await telemetry.waitFor('lease.acquired', () => true, 4)
  const { terminal, said, forget } = recordedTerminal()
  await leases(store, terminal)
  expect(said()).toMatch(/^vm-1: 0 of 7 slots busy$/m)
  forget()

  const container = emulator.client().database('stepward').container('leases')
  const { resources } = await container.items.readAll<LeaseText>().fetchAll()
  await host.stop()
  // The leases of an instance whose clock is a minute ahead, and whose remote service fails.
  for (const lease of resources.filter(({ timestamp }) => timestamp)) {
    const { 'stepward.process': entry = '', ...others } = lease.properties
    const ahead = new Date(Date.now() + 60_000).toISOString()
    const changed = entry
      .replace(lease.timestamp, ahead)
      .replace('"busy":0', `"busy":3,"lines":{"bank":${Date.now() - 330_000}},"openCircuits":["bank"]`)
    await container.items.upsert({
      ...lease,
      timestamp: ahead,
      properties: { ...others, 'stepward.process': changed },
    })
  }
  await leases(store, terminal)
  expect(said()).toMatch(
    /^vm-1: 3 of 7 slots busy; steps wait for a slot, the oldest for 5 min; agent bank is not called while its remote service fails; its clock is (59 s|60 s|1 min) ahead of the store's$/m,
  )

  const circuits = async (processor?: string): Promise<unknown> => {
    forget()
    await doctor({ ...store, json: true, ...(processor === undefined ? {} : { processor }) }, terminal)
    const findings = JSON.parse(said()) as { rule: string }[]
    return findings.filter(({ rule }) => rule === 'openCircuit')
  }
  const found = [{ processorName: 'stepward-agents', agent: 'bank' }]
  expect(await circuits()).toMatchObject(found)
  expect(await circuits('stepward-agents')).toMatchObject(found)
  expect(await circuits('stepward-scheduler'), 'of another processor').toEqual([])
})
