import type { DefaultAzureCredential, ManagedIdentityCredential } from '@azure/identity'

/** Variables that Azure sets for a process: the first for every app, the others for apps with an identity. */
const variablesInAzure = ['WEBSITE_SITE_NAME', 'IDENTITY_ENDPOINT', 'MSI_ENDPOINT'] as const

/**
 * Returns whose identity a process has: that of the app, from the platform, or that of the signed-in
 * developer.
 */
export function identityKind(
  environment: Readonly<Record<string, string | undefined>>,
): 'managedIdentity' | 'developer' {
  const isInAzure = variablesInAzure.some((name) => (environment[name] ?? '') !== '')
  return isInAzure ? 'managedIdentity' : 'developer'
}

/**
 * Returns the credential of this process. In Azure that is the managed identity and no other: a chain would
 * probe for a minute, or find a person's login. `AZURE_CLIENT_ID` chooses among several identities of an app.
 */
export async function credential(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<DefaultAzureCredential | ManagedIdentityCredential> {
  // Loaded only when needed: it is by far the largest dependency.
  const identity = await import('@azure/identity')
  if (identityKind(environment) === 'developer') return new identity.DefaultAzureCredential()
  const clientId = environment['AZURE_CLIENT_ID']
  return clientId === undefined || clientId === ''
    ? new identity.ManagedIdentityCredential()
    : new identity.ManagedIdentityCredential({ clientId })
}
