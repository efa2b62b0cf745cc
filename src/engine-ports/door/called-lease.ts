import type { LeaseStore } from '../../../lease-store/index.js'
import { jsonText } from './door-answers.js'

const leaseMethods = ['list', 'read', 'create', 'replace', 'delete'] as const
const initializationMethods = ['doneAtMs', 'tryLock', 'markDone', 'unlock'] as const

/** Calls a method of a lease store by its name, as another process has sent it. Returns the text of the answer. */
export async function calledLease(
  leases: LeaseStore,
  method: string,
  args: readonly unknown[],
): Promise<string> {
  const { initialization } = leases
  const own = leaseMethods.find((name) => name === method)
  const initial = initializationMethods.find((name) => name === method)
  const [holder, name] = own === undefined ? [initialization, initial] : [leases, own]
  if (name === undefined) throw new RangeError(`leases have no method ${method}`)
  const called = Reflect.get(holder, name) as (...args: readonly unknown[]) => Promise<unknown>
  return jsonText(await called.apply(holder, [...args]))
}
