// Adds the matcher `expect(at(rules, '10.96.0.10', 80)).toBeReachableFrom('pod')`. It passes if packets of a pod, of
// the node or of an external sender always reach an endpoint by this address and port, whatever the random choices.

import { explain, type Origin, type Packet, type Protocol } from '@kube-rules/analyzer'
import {
  createExampleSource,
  createSourceContext,
  printExplanation,
  traceContextFor,
} from '@kube-rules/analyzer/explain'
import type { CompileResult } from '@kube-rules/compiler'
import { expect } from 'vitest'

interface Destination {
  readonly rules: CompileResult
  readonly address: string
  readonly port: number
  readonly protocol: Protocol
}

interface Matchers<Result> {
  toBeReachableFrom(origin: Origin): Result
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as Vitest declares it
  interface Assertion<T = any> extends Matchers<T> {}
}

/** Selects an address and a port of compiled rules. */
export function at(rules: CompileResult, address: string, port: number, protocol: Protocol = 'TCP'): Destination {
  return { rules, address, port, protocol }
}

expect.extend({
  toBeReachableFrom(destination: Destination, origin: Origin) {
    const { paths, text } = explained(destination, origin)
    const pass = paths.every(({ outcome }) => outcome.kind === 'delivered')
    return { pass, message: () => `expected ${pass ? 'no endpoint' : 'an endpoint'} to get\n${text}` }
  },
})

function explained({ rules, address, port, protocol }: Destination, origin: Origin) {
  const family = rules.families.find((each) => (each.family === 'IPv6') === address.includes(':'))
  if (family === undefined) throw new Error(`no rules are compiled for the family of ${address}`)
  const { state, plan } = family
  const traceContext = traceContextFor(plan)
  const source = createExampleSource(origin, createSourceContext(state, traceContext, plan))
  if (source === undefined) throw new Error('the node has no address to send packets from')
  const packet: Packet = { ...source, protocol, destination: address, destinationPort: port }
  const explanation = explain(state, packet, { plan, ...traceContext })
  return { paths: explanation.paths, text: printExplanation(explanation) }
}
