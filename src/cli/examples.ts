import type { Command } from 'commander'

/** An example line for each command. A test checks that every command has one. */
export const examples: Readonly<Record<string, string>> = {
  check: 'stepward check ./workflows.js',
  dev: 'stepward dev ./workflows.js --data .stepward/dev',
  emulator: 'stepward emulator --port 8081 --data .stepward/cosmos',
  'emulator split': 'stepward emulator split stepward/state',
  'emulator merge': 'stepward emulator merge stepward/state --ranges 1 2',
  start: 'stepward start --role all --agents ./workflows.js --instances 2',
  fleet: 'stepward fleet --json',
  stop: 'stepward stop',
  scale: 'stepward scale agents 4 --why "the sale begins"',
  rebalance: 'stepward rebalance agents --why "one process has all leases"',
  autoscale: 'stepward autoscale agents --min 1 --max 8',
  submit: 'stepward submit order-fulfilment orders.jsonl --workflows ./jobs.js --wait',
  status: 'stepward status 10248',
  history: 'stepward history 10248 --limit 50',
  list: 'stepward list --tag customer=4711 --since 1d',
  attention: 'stepward attention --workflow order-fulfilment',
  watch: 'stepward watch 10248',
  resubmit: 'stepward resubmit --step reserve --why "shelves filled" --dry-run',
  migrate: 'stepward migrate 10248 --module workflows.js --why "longer deadline"',
  restart: 'stepward restart J-1 --from charge --input order.json --after undo --why typo',
  triage: 'stepward triage 10248 --assign ann --note "the bank calls at 4" --snooze 2h',
  release: 'stepward release 10248 --step charge --why "bank is back"',
  cancel: 'stepward cancel 10248 --why "the customer withdrew"',
  pause: 'stepward pause job 10248 --why "the bank is down"',
  resume: 'stepward resume job 10248 --why "the bank is back"',
  pauses: 'stepward pauses --json',
  raise: 'stepward raise 10248 delivery --payload signature.json',
  inbox: 'stepward inbox --assignee ann',
  answer: 'stepward answer 10248 approve --yes --note "checked the invoice"',
  'answer-link': 'stepward answer-link 10248 approve --assignee ann --expires-in 3d',
  resend: 'stepward resend --workflow order-fulfilment --dry-run',
  audit: 'stepward audit --before 1d --json',
  schedules: 'stepward schedules --json',
  'schedule set': 'stepward schedule set nightly --workflows ./jobs.js',
  'schedule show': 'stepward schedule show nightly',
  'schedule pause': 'stepward schedule pause nightly --why "the bank is down"',
  'schedule resume': 'stepward schedule resume nightly',
  'schedule trigger': 'stepward schedule trigger nightly --why "the bank is up again"',
  'schedule backfill': 'stepward schedule backfill nightly --from 2026-11-01 --to 2026-11-06 --dry-run',
  'schedule delete': 'stepward schedule delete nightly --yes --why "no longer needed"',
  schedule: 'stepward schedule show nightly',
  limits: 'stepward limits --json',
  limit: 'stepward limit show bank',
  'limit show': 'stepward limit show bank',
  'limit set': 'stepward limit set bank --at-once 5 --why "the bank is slow"',
  'limit clear': 'stepward limit clear bank',
  leases: 'stepward leases --processor stepward-scheduler',
  estimate: 'stepward estimate --json',
  'dead-letters': 'stepward dead-letters poison --database shop',
  page: 'stepward page --data .stepward/orders',
  cost: 'stepward cost --json',
  usage: 'stepward usage --hours 24 --provisioned 400',
  doctor: 'stepward doctor --endpoint https://contoso.documents.azure.com',
  provision: 'stepward provision --connection-string "$COSMOS_CONNECTION_STRING"',
  completion: 'source <(stepward completion bash)',
}

export function withExamples(program: Command, path: readonly string[] = []): Command {
  for (const command of program.commands) {
    const here = [...path, command.name()]
    const example = examples[here.join(' ')]
    if (example !== undefined) command.addHelpText('after', `\nExample:\n  ${example}`)
    withExamples(command, here)
  }
  return program
}
