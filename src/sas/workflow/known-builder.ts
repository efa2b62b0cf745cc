import { similarName } from '../../platform/options.js'

/** The methods by the names that they have in other libraries. */
const meant: Readonly<Record<string, string>> = {
  ...{ addStep: 'step', activity: 'step', task: 'step', call: 'step', execute: 'step' },
  ...{ wait: 'sleep', delay: 'sleep', timer: 'sleep' },
  ...{ event: 'waitFor', signal: 'waitFor', waitForEvent: 'waitFor', approve: 'ask', question: 'ask' },
  ...{ map: 'forEach', each: 'forEach', fanOut: 'forEach', loop: 'repeat', poll: 'repeat' },
  ...{ child: 'run', subWorkflow: 'run', workflow: 'run', inputs: 'input', data: 'input' },
}

/** Wraps a builder so that a name that it does not have throws a TypeError with the right one. */
export function withKnownMethods<B extends object>(builder: B): B {
  return new Proxy(builder, {
    get: (target, name) => {
      if (typeof name === 'string' && !(name in target))
        throw new TypeError(adviceOn(name, Object.keys(target)))
      return Reflect.get(target, name) as unknown
    },
  })
}

function adviceOn(name: string, known: readonly string[]): string {
  const other = Object.hasOwn(meant, name) ? meant[name] : similarName(name, known)
  const advice =
    other === undefined
      ? `a definition has ${known.map((each) => `job.${each}`).join(', ')}`
      : `did you mean job.${other}?`
  return `job.${name} does not exist: ${advice}`
}
