// Provisioned throughput, three zones, each role scaled by itself, somebody is told.
using '../main.bicep'

param name = 'stepward'
param agentsModule = 'dist/samples/orders/index.js'
param serverless = false
param maxThroughput = 10000
param planSku = 'P0v3'
param planCapacity = 3
param perSiteScaling = true
param zoneRedundant = true
param instances = {
  scheduler: 2
  agents: 3
  supervisor: 2
  notifier: 1
}
param alertEmail = 'operators@example.com'
