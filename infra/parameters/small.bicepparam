// For trials: serverless, one small machine for all four roles.
using '../main.bicep'

param name = 'stepward-trial'
param agentsModule = 'dist/samples/orders/index.js'
param serverless = true
param planSku = 'B1'
param planCapacity = 1
