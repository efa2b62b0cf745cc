/** The worker of BullMQ: `bullmq-worker.js FOLDER PORT`. */
import process from 'node:process'
import type { Order } from './peer.js'
import { imported } from './rivals.js'
import { passed } from './ordering.js'

interface BullJob {
  readonly name: string
  readonly data: Order
  getChildrenValues(): Promise<unknown>
}

interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): void
  waitUntilReady(): Promise<unknown>
  close(): Promise<void>
}

type WorkerClass = new (name: string, run: (job: BullJob) => Promise<unknown>, options: object) => BullWorker

const [, , folder = '', port = ''] = process.argv
const { Worker } = (await imported(folder, 'bullmq')) as { readonly Worker: WorkerClass }
const connection = { host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null }
const worker = new Worker(
  'orders',
  async (job) => {
    if (job.name !== 'reserve') await job.getChildrenValues()
    return passed(job.data)
  },
  { connection, concurrency: 200 },
)
worker.on('error', ({ message }) => process.stderr.write(`${message}\n`))
await worker.waitUntilReady()
process.stdout.write('READY\n')
process.once('SIGTERM', () => {
  worker.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
