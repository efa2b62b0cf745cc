import type { DefaultAzureCredential, ManagedIdentityCredential } from '@azure/identity'

/**
 * Variables that Azure sets for a process. Every app has the first variable, and apps with an identity have
 * one of the others.
 */
const variablesInAzure = ['WEBSITE_SITE_NAME', 'IDENTITY_ENDPOINT', 'MSI_ENDPOINT'] as const

/**
 * Returns the kind of identity that a process has. The identity is the app's own, which the platform
 * provides, or the identity of the signed-in developer.
 */
export function identityKind(
  environment: Readonly<Record<string, string | undefined>>,
): 'managedIdentity' | 'developer' {
  const isInAzure = variablesInAzure.some((name) => (environment[name] ?? '') !== '')
  return isInAzure ? 'managedIdentity' : 'developer'
}

/**
 * Returns the credential of this process. In Azure only the managed identity is tried, because a chain of
 * credentials would probe for a minute or find a person's login. `AZURE_CLIENT_ID` chooses among several
 * identities of an app.
 */
export async function credential(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<DefaultAzureCredential | ManagedIdentityCredential> {
  // The package is loaded only if needed, because it is by far the largest dependency.
  const identity = await import('@azure/identity')
  if (identityKind(environment) === 'developer') return new identity.DefaultAzureCredential()
  const clientId = environment['AZURE_CLIENT_ID']
  return clientId === undefined || clientId === ''
    ? new identity.ManagedIdentityCredential()
    : new identity.ManagedIdentityCredential({ clientId })
}
