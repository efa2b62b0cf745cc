import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { defineAgent, defineWorkflow, startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { expect, it, onTestFinished, vi } from 'vitest'

const greeter = defineAgent('greeter', {
  greet: async (input: { name: string }) => ({ text: `hello ${input.name}` }),
})
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name }, { completeWithin: '30s' })
})

it('a host reports to the OpenTelemetry SDK of its process by default', async () => {
  const spans = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  trace.setGlobalTracerProvider(tracerProvider)
  const cosmos = createInProcessCosmos()
  const timing = { pollInterval: { min: 20, max: 100 } }
  const host = await startHost({ client: cosmos.client(), agents: [greeter], timing, instanceName: 'traced' })
  onTestFinished(async () => {
    await host.stop()
    await cosmos.close()
    trace.disable()
  })
  const job = await host.client.submit(greeting, { name: 'span' }, { jobId: 'traced' })
  await job.result()
  // The job may end before the feed delivers any of its changes.
  await vi.waitFor(
    () => {
      const deliveries = spans.getFinishedSpans().filter(({ attributes }) => attributes['messaging.system'])
      expect(deliveries.length).toBeGreaterThan(0)
    },
    { timeout: 60_000 },
  )
})
