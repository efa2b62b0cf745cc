/** The agents and the workflow of this sample, for `stepward dev|start --agents|submit --workflows`. */
export { inventory, payments, shipping } from './agents.js'
export { orderFulfilment } from './workflow.js'
