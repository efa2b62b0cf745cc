// For trials: serverless, one small machine for all four roles.
using '../main.bicep'

param name = 'stepward-trial'
// This repository itself, with its sample. In a project that depends on stepward: your module, and no program.
param agentsModule = 'dist/samples/orders/index.js'
param program = 'dist/src/cli/main.js'
param serverless = true
param planSku = 'B1'
param planCapacity = 1
