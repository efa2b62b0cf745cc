import type { DefaultAzureCredential, ManagedIdentityCredential } from '@azure/identity'

/** What a process in Azure finds set: the first of every app, the others of apps that have an identity. */
const variablesInAzure = ['WEBSITE_SITE_NAME', 'IDENTITY_ENDPOINT', 'MSI_ENDPOINT'] as const

/** Whose identity a process has: the platform's for the app, or whatever a developer has signed in with. */
export function identityKind(
  environment: Readonly<Record<string, string | undefined>>,
): 'managedIdentity' | 'developer' {
  const isInAzure = variablesInAzure.some((name) => (environment[name] ?? '') !== '')
  return isInAzure ? 'managedIdentity' : 'developer'
}

/**
 * The credential of this process. In Azure the managed identity and nothing else: a chain would probe for a minute, or
 * find a person's login. `AZURE_CLIENT_ID` chooses among several identities of an app.
 */
export async function credential(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<DefaultAzureCredential | ManagedIdentityCredential> {
  // Loaded only where it is needed: it is by far the largest dependency.
  const identity = await import('@azure/identity')
  if (identityKind(environment) === 'developer') return new identity.DefaultAzureCredential()
  const clientId = environment['AZURE_CLIENT_ID']
  return clientId === undefined || clientId === ''
    ? new identity.ManagedIdentityCredential()
    : new identity.ManagedIdentityCredential({ clientId })
}
