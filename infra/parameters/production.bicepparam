// Provisioned throughput, three zones, each role scaled by itself, somebody is told.
using '../main.bicep'

param name = 'stepward'
// This repository itself, with its sample. In a project that depends on stepward: your module, and no program.
param agentsModule = 'dist/samples/orders/index.js'
param program = 'dist/src/cli/main.js'
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
