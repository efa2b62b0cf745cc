// One write region on purpose: with several, two instances could both win one lease.
param name string
param suffix string
param location string
param serverless bool
param maxThroughput int
param zoneRedundant bool
param workspaceId string

// The same paths as in src/connection/state-container.ts. Only queried paths are indexed, because each path adds to the cost of a write.
var stateIndexPaths = [
  '/type/?'
  '/processState/?'
  '/completeByMs/?'
  '/submittedAtMs/?'
  '/jobId/?'
  '/workflow/?'
  '/actor/?'
  '/attention/kind/?'
  '/attention/since/?'
  '/asked/since/?'
  '/paused/since/?'
  '/orderId/?'
  '/priority/?'
  '/operatedAtMs/?'
  '/tags/*'
]

var containers = [
  { id: 'state', key: '/pk', ttl: -1, indexed: stateIndexPaths, isBusy: true }
  { id: 'leases', key: '/id', ttl: -1, indexed: ['/id/?'], isBusy: false }
  { id: 'deadletter', key: '/pk', ttl: 2592000, indexed: ['/type/?', '/jobId/?'], isBusy: false }
]

resource account 'Microsoft.DocumentDB/databaseAccounts@2024-05-15' = {
  name: '${name}-cosmos${suffix}'
  location: location
  kind: 'GlobalDocumentDB'
  properties: {
    databaseAccountOfferType: 'Standard'
    consistencyPolicy: { defaultConsistencyLevel: 'Session' }
    enableMultipleWriteLocations: false
    disableLocalAuth: true
    minimalTlsVersion: 'Tls12'
    backupPolicy: { type: 'Continuous', continuousModeProperties: { tier: 'Continuous7Days' } }
    capabilities: serverless ? [{ name: 'EnableServerless' }] : []
    locations: [{ locationName: location, failoverPriority: 0, isZoneRedundant: zoneRedundant }]
  }
}

resource database 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases@2024-05-15' = {
  parent: account
  name: 'stepward'
  properties: { resource: { id: 'stepward' } }
}

resource containerResources 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers@2024-05-15' = [
  for container in containers: {
    parent: database
    name: container.id
    properties: {
      resource: {
        id: container.id
        partitionKey: { kind: 'Hash', version: 2, paths: [container.key] }
        defaultTtl: container.ttl
        indexingPolicy: {
          indexingMode: 'consistent'
          includedPaths: [for path in container.indexed: { path: path }]
          excludedPaths: [{ path: '/*' }]
        }
      }
      // Leases have throughput of their own: a busy state container must not starve renewals.
      options: serverless ? {} : { autoscaleSettings: { maxThroughput: container.isBusy ? maxThroughput : 1000 } }
    }
  }
]

resource diagnostics 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: account
  name: 'to-workspace'
  properties: {
    workspaceId: workspaceId
    logs: [
      { category: 'ControlPlaneRequests', enabled: true }
      { category: 'PartitionKeyRUConsumption', enabled: true }
    ]
    metrics: [{ category: 'Requests', enabled: true }]
  }
}

output accountId string = account.id
output accountName string = account.name
output endpoint string = account.properties.documentEndpoint
