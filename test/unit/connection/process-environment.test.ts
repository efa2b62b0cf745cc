import { describe, expect, it } from 'vitest'
import { identityKind } from '../../../src/connection/azure/identity.js'
import { processSettings } from '../../../src/connection/process-environment.js'

describe('the environment of a process', () => {
  it('may be empty: the process is enabled and has five seconds to stop', () => {
    expect(processSettings({})).toEqual({ isEnabled: true, stopWithinMs: 4_500 })
    expect(processSettings({ PORT: '', STEPWARD_ROLES: ' ' })).toEqual({
      isEnabled: true,
      stopWithinMs: 4_500,
    })
  })

  it('sets roles, module, port, alert receiver and the time to stop', () => {
    const settings = processSettings({
      STEPWARD_ROLES: 'scheduler, agents',
      STEPWARD_MODULE: 'dist/agents.js',
      STEPWARD_ALERT_WEBHOOK: 'https://chat.example/hook',
      STEPWARD_ENABLED: '0',
      PORT: '8080',
      WEBSITES_CONTAINER_STOP_TIME_LIMIT: '60',
    })
    expect(settings).toEqual({
      roles: ['scheduler', 'agents'],
      module: 'dist/agents.js',
      alertWebhook: 'https://chat.example/hook',
      port: 8_080,
      isEnabled: false,
      stopWithinMs: 59_500,
    })
  })

  it('is rejected with every invalid variable', () => {
    const read = (): unknown => processSettings({ PORT: 'http', STEPWARD_ENABLED: 'maybe' })
    expect(read).toThrow(/STEPWARD_ENABLED: .*; environment variable PORT: must be a port number/)
  })

  it('determines the identity: the app’s in Azure, a developer’s elsewhere', () => {
    expect(identityKind({})).toBe('developer')
    expect(identityKind({ WEBSITE_SITE_NAME: 'shop', IDENTITY_ENDPOINT: '' })).toBe('managedIdentity')
    expect(identityKind({ IDENTITY_ENDPOINT: 'http://169.254.1.1' })).toBe('managedIdentity')
  })
})
