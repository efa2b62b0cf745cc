// Everything a deployment needs: a Cosmos DB account, one App Service app for each role, and what watches them.
// az deployment group create -g GROUP -f infra/main.bicep -p infra/parameters/small.bicepparam
targetScope = 'resourceGroup'

@description('Begins the name of every resource; lower-case letters, digits and hyphens.')
@minLength(3)
@maxLength(20)
param name string

@description('The last word in the names of the account and the apps, which must be unique in the world; empty for none.')
@maxLength(13)
param unique string = take(uniqueString(resourceGroup().id), 8)

param location string = resourceGroup().location

@description('Serverless charges by request; otherwise the state container autoscales up to this many request units.')
param serverless bool = true
param maxThroughput int = 4000

@description('B1 for trials; P0v3 and above scale each role by itself.')
param planSku string = 'B1'
@minValue(1)
param planCapacity int = 1
param perSiteScaling bool = false
param zoneRedundant bool = false

@description('Instances of each role where the plan scales apps one by one.')
param instances object = {
  scheduler: 2
  agents: 2
  supervisor: 2
  notifier: 1
}

@description('A module in the package that exports the agents.')
param agentsModule string

@description('What is started, within the package. The default is that of a project that depends on stepward.')
param program string = 'node_modules/stepward/dist/src/cli/main.js'

@description('Containers of the database that a replyTo names as container:NAME; the notifier may write there.')
param replyContainers array = []

@description('Address for mails about jobs that need attention, a store that throttles and unhealthy apps; empty for no mail.')
param alertEmail string = ''

@description('A URL to which the notifier posts every job that needs attention; empty for nowhere.')
@secure()
param alertWebhook string = ''

@description('The client id of the Entra ID application with which people sign in to the page for operators; empty for no page.')
param pageClientId string = ''

@description('The role whose app serves the page.')
@allowed(['scheduler', 'agents', 'supervisor', 'notifier'])
param pageRole string = 'supervisor'

var suffix = empty(unique) ? '' : '-${unique}'

module cosmos 'modules/cosmos.bicep' = {
  name: 'cosmos'
  params: {
    name: name
    suffix: suffix
    location: location
    serverless: serverless
    maxThroughput: maxThroughput
    zoneRedundant: zoneRedundant
    workspaceId: monitoring.outputs.workspaceId
  }
}

module apps 'modules/app-service.bicep' = {
  name: 'apps'
  params: {
    name: name
    suffix: suffix
    location: location
    planSku: planSku
    planCapacity: planCapacity
    perSiteScaling: perSiteScaling
    zoneRedundant: zoneRedundant
    instances: instances
    agentsModule: agentsModule
    program: program
    alertWebhook: alertWebhook
    pageClientId: pageClientId
    pageRole: pageRole
    cosmosEndpoint: cosmos.outputs.endpoint
    applicationInsightsConnectionString: monitoring.outputs.connectionString
  }
}

module access 'modules/access.bicep' = {
  name: 'access'
  params: {
    accountName: cosmos.outputs.accountName
    principals: apps.outputs.principals
    replyContainers: replyContainers
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  params: {
    name: name
    location: location
  }
}

module alerts 'modules/alerts.bicep' = {
  name: 'alerts'
  params: {
    name: name
    location: location
    alertEmail: alertEmail
    workspaceId: monitoring.outputs.workspaceId
    accountId: cosmos.outputs.accountId
    siteIds: apps.outputs.siteIds
  }
}

output endpoint string = cosmos.outputs.endpoint
output accountName string = cosmos.outputs.accountName
// The role, name and host of each app.
output sites array = apps.outputs.sites
