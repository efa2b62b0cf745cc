import type { DefaultAzureCredential, ManagedIdentityCredential } from '@azure/identity'

/**
 * Variables that Azure sets. Every app has the first one, and apps with an identity have one of the others.
 */
const variablesInAzure = ['WEBSITE_SITE_NAME', 'IDENTITY_ENDPOINT', 'MSI_ENDPOINT'] as const

/** Returns whether the process has the app's own identity or the developer's login. */
export function identityKind(
  environment: Readonly<Record<string, string | undefined>>,
): 'managedIdentity' | 'developer' {
  const isInAzure = variablesInAzure.some((name) => (environment[name] ?? '') !== '')
  return isInAzure ? 'managedIdentity' : 'developer'
}

/**
 * Returns the credential of this process. In Azure, only the managed identity is tried, because a chain of
 * credentials may probe for a minute or find a person's login. `AZURE_CLIENT_ID` chooses among several
 * identities.
 */
export async function credential(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<DefaultAzureCredential | ManagedIdentityCredential> {
  // The package is by far the largest dependency, so it is loaded only if needed.
  const identity = await import('@azure/identity')
  if (identityKind(environment) === 'developer') return new identity.DefaultAzureCredential()
  const clientId = environment['AZURE_CLIENT_ID']
  return clientId === undefined || clientId === ''
    ? new identity.ManagedIdentityCredential()
    : new identity.ManagedIdentityCredential({ clientId })
}
