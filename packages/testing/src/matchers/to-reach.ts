import { explain, type Packet, type Protocol, type TracePath } from '@kube-rules/analyzer'
import {
  createExampleSource,
  createSourceContext,
  printExplanation,
  traceContextFor,
} from '@kube-rules/analyzer/explain'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler'
import { decide } from '@kube-rules/compiler/plan'
import { joinHostPort } from '@kube-rules/types/internal/ip'

/** A packet to an address and a port. */
export interface PacketTo extends Partial<Pick<Packet, 'source' | 'sourcePort' | 'inInterface'>> {
  /** The origin of the packet. */
  readonly origin: Packet['origin']
  /** The protocol. Default: TCP. */
  readonly protocol?: Protocol | undefined
  /** The destination address. */
  readonly destination: string
  /** The destination port. */
  readonly destinationPort: number
}

/** The result of a matcher. */
export interface MatcherResult {
  /** Whether the value matches. An assertion with `.not` fails if the value matches. */
  readonly pass: boolean
  /** Returns the message of a failure. */
  readonly message: () => string
}

/** The state of an assertion, which Vitest and Jest pass to a matcher. */
export interface MatcherContext {
  /** Whether the assertion has `.not`. */
  readonly isNot?: boolean | undefined
}

/**
 * Matches a result of `compile`, or one family of it, if packets always reach an endpoint, whatever the random choices.
 * With `endpoints`, such as `10.244.1.5:8080`, packets must reach exactly these endpoints. With `.not`, the
 * assertion fails if packets can reach an endpoint. It fails with and without `.not` if the outcome cannot be determined.
 *
 * The default source is an example address of the origin.
 *
 * @throws Error if the result does not contain the family of the destination, or if the node has no address.
 * @example
 * ```ts
 * expect.extend({ toReach })
 * expect(result).toReach({ origin: 'pod', destination: '10.96.0.10', destinationPort: 80 }, ['10.244.1.5:8080'])
 * ```
 */
export function toReach(
  this: MatcherContext,
  result: CompileResult | FamilyResult,
  packet: PacketTo,
  endpoints?: readonly string[],
): MatcherResult {
  const { ends, text } = traceTo(familyFor(result, packet.destination), packet)
  const reached = [...new Set(ends.flatMap(({ reached }) => reached ?? []))].sort()
  const expected = endpoints === undefined ? 'an endpoint' : [...endpoints].sort().join(', ') || 'no endpoint'
  const isUnknown = ends.some(({ isUnknown }) => isUnknown)
  const isReached = ends.every(({ reached }) => reached !== undefined)
  const isSame = endpoints === undefined ? isReached : isReached && reached.join(', ') === expected
  const canReach = endpoints === undefined ? reached.length > 0 : isSame
  return this.isNot === true
    ? { pass: isUnknown || canReach, message: () => `expected packets not to reach ${expected}, got\n${text}` }
    : { pass: isSame && !isUnknown, message: () => `expected packets to reach ${expected}, got\n${text}` }
}

function familyFor(result: CompileResult | FamilyResult, address: string): FamilyResult {
  const families = 'families' in result ? result.families : [result]
  const found = families.find(({ family }) => (family === 'IPv6') === address.includes(':'))
  if (found === undefined) throw new Error(`the result has no rules for the family of ${address}`)
  return found
}

/** The end of a path: the endpoints that packets reach, if any. */
interface End {
  readonly reached?: readonly string[] | undefined
  readonly isUnknown: boolean
}

function traceTo({ state, plan }: FamilyResult, { protocol = 'TCP', ...fields }: PacketTo) {
  const traceContext = traceContextFor(plan)
  const source = createExampleSource(fields.origin, createSourceContext(state, traceContext, plan))
  if (source === undefined && fields.source === undefined)
    throw new Error('the node has no address to send packets from')
  const packet = { ...source, ...fields, protocol } as Packet
  const explanation = explain(state, packet, { plan, ...traceContext })
  const proxied = () => endpointsOfProxy(plan, packet)
  return { ends: explanation.paths.map((path) => endOf(path, proxied)), text: printExplanation(explanation) }
}

function endOf({ outcome }: TracePath, proxied: () => readonly string[] | undefined): End {
  const isUnknown = outcome.kind === 'unknown'
  if (outcome.kind === 'delivered') return { reached: [joinHostPort(outcome.address, outcome.port)], isUnknown }
  return { reached: outcome.kind === 'proxy' ? proxied() : undefined, isUnknown }
}

/** Returns the endpoints that the process in userspace mode connects to; undefined if there are none. */
function endpointsOfProxy(plan: FamilyResult['plan'], packet: Packet): readonly string[] | undefined {
  const decision = decide(plan, packet)
  const candidates = decision.kind === 'proxy' ? decision.candidates : []
  return candidates.length === 0
    ? undefined
    : candidates.map(({ endpoint }) => joinHostPort(endpoint.ip, endpoint.port))
}
