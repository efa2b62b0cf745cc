// One app for each role, from one package: only the startup command differs.
param name string
param suffix string
param location string
param planSku string
param planCapacity int
param perSiteScaling bool
param zoneRedundant bool
param instances object
param agentsModule string
param program string
@secure()
param alertWebhook string
param pageClientId string
param pageRole string
param cosmosEndpoint string
param applicationInsightsConnectionString string

var roles = ['scheduler', 'agents', 'supervisor', 'notifier']

resource plan 'Microsoft.Web/serverfarms@2024-04-01' = {
  name: '${name}-plan'
  location: location
  kind: 'linux'
  sku: { name: planSku, capacity: planCapacity }
  properties: { reserved: true, perSiteScaling: perSiteScaling, zoneRedundant: zoneRedundant }
}

resource sites 'Microsoft.Web/sites@2024-04-01' = [
  for role in roles: {
    name: '${name}-${role}${suffix}'
    location: location
    kind: 'app,linux'
    identity: { type: 'SystemAssigned' }
    properties: {
      serverFarmId: plan.id
      httpsOnly: true
      clientAffinityEnabled: false
      siteConfig: {
        linuxFxVersion: 'NODE|22-lts'
        alwaysOn: true
        healthCheckPath: '/healthz'
        minTlsVersion: '1.2'
        ftpsState: 'Disabled'
        numberOfWorkers: perSiteScaling ? instances[role] : null
        // Garbage costs a worker a sixth of its jobs per second unless it has more room for what is short-lived.
        // Without exec the shell that starts it would keep SIGTERM for itself, and leases would not be released.
        appCommandLine: 'exec node --max-semi-space-size=64 ${program} start --role ${role}'
        appSettings: [
          { name: 'COSMOS_ENDPOINT', value: cosmosEndpoint }
          { name: 'COSMOS_DATABASE', value: 'stepward' }
          { name: 'COSMOS_CONTAINER', value: 'state' }
          { name: 'COSMOS_LEASE_CONTAINER', value: 'leases' }
          { name: 'STEPWARD_MODULE', value: agentsModule }
          { name: 'STEPWARD_ALERT_WEBHOOK', value: role == 'notifier' ? alertWebhook : '' }
          { name: 'STEPWARD_PAGE', value: !empty(pageClientId) && role == pageRole ? 'true' : '' }
          { name: 'STEPWARD_ENABLED', value: 'true' }
          { name: 'WEBSITES_CONTAINER_STOP_TIME_LIMIT', value: '60' }
          { name: 'SCM_DO_BUILD_DURING_DEPLOYMENT', value: 'false' }
          { name: 'APPLICATIONINSIGHTS_CONNECTION_STRING', value: applicationInsightsConnectionString }
        ]
      }
    }
  }
]

// The process believes the headers about people only because the platform authenticates every request. Probes have no person.
resource signIn 'Microsoft.Web/sites/config@2024-04-01' = if (!empty(pageClientId)) {
  parent: sites[indexOf(roles, pageRole)]
  name: 'authsettingsV2'
  properties: {
    platform: { enabled: true }
    globalValidation: {
      requireAuthentication: true
      unauthenticatedClientAction: 'RedirectToLoginPage'
      redirectToProvider: 'azureactivedirectory'
      excludedPaths: ['/healthz', '/readyz']
    }
    identityProviders: {
      azureActiveDirectory: {
        enabled: true
        registration: {
          openIdIssuer: '${environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0'
          clientId: pageClientId
        }
      }
    }
    httpSettings: { requireHttps: true }
  }
}

// A staging slot must not work on production's leases: what is said of it stays with the slot when slots are swapped.
resource slotSettings 'Microsoft.Web/sites/config@2024-04-01' = [
  for (role, index) in roles: {
    parent: sites[index]
    name: 'slotConfigNames'
    properties: { appSettingNames: ['STEPWARD_ENABLED'] }
  }
]

output principals array = [
  for (role, index) in roles: { role: role, principalId: sites[index].identity.principalId }
]
output siteIds array = [for (role, index) in roles: sites[index].id]
output sites array = [
  for (role, index) in roles: { role: role, name: sites[index].name, host: sites[index].properties.defaultHostName }
]
