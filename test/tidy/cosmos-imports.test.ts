import { describe, expect, it } from 'vitest'
import { sdkImports } from './cosmos-imports.js'
import { example } from './source.js'

const text = `import type { Container } from '@azure/cosmos'`

describe('imports of the SDK', () => {
  it.each([
    'lease-store/lease-store.ts',
    'src/sas/state-store.ts',
    'src/sas/not-cosmos-really.ts',
    'src/cli/main.ts',
    'src/emulator/routes.ts',
    'src/emulator/engine/index.ts',
  ])('are refused in %s, even as types', (path) => {
    expect(sdkImports([example(path, text)])).toEqual([
      expect.stringContaining(`${path}:1: @azure/cosmos belongs`),
    ])
  })

  it.each([
    'lease-store/cosmos-lease-store.ts',
    'src/host/host.ts',
    'src/emulator/index.ts',
    'src/emulator/emulator-server.ts',
    'src/emulator/in-process-client.ts',
    'samples/change-feed-only/run.ts',
  ])('are allowed in %s', (path) => {
    expect(sdkImports([example(path, text)])).toEqual([])
  })

  it('include paths inside the package and dynamic ones, but no other package of Azure', () => {
    const deep = `const sdk = await import('@azure/cosmos/dist/index.js')`
    expect(sdkImports([example('src/cli/main.ts', deep)])).toHaveLength(1)
    expect(sdkImports([example('src/cli/main.ts', `import '@azure/cosmos-sign'`)])).toEqual([])
  })
})
