/** What `stepward dev|start --agents|submit --workflows` needs of this sample: its agents and its workflow. */
export { inventory, payments, shipping } from './agents.js'
export { orderFulfilment } from './workflow.js'
