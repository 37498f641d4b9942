import { checkPacket } from '@kube-rules/compiler/internal/arguments/check-packet'
import { checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { haveSameItems } from '@kube-rules/compiler/internal/internal/have-same-items'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { PROXY_MODES } from '@kube-rules/compiler/internal/targets/modes'
import type { Outcome, Packet } from '@kube-rules/types'
import { familyOf, joinHostPort } from '@kube-rules/types/internal/ip'
import { createConditionTable } from '../program/assumptions.js'
import type { EquivalentSources } from '../program/equivalent-sources.js'
import type { NodeFacts } from '../program/facts.js'
import type { KernelPacket } from '../program/kernel-packet.js'
import type { ReadSet } from '../program/read-set.js'
import { createNodeFacts } from './create-node-facts.js'
import { createProgram } from './create-program.js'
import { MISSING_CONTENT_ADDERS, PROXY_LISTENER_READERS } from './mode-readers.js'
import { checkTraceContext, type TraceContext } from './trace-context.js'
import { type SharedPathEnd, type TracePath, tracePaths, traceSharedPaths } from './trace-paths.js'

/**
 * Traces the first packet of a connection through the netfilter hooks. Returns one path per outcome, with its exact
 * probability. If a match cannot be evaluated (an unknown match, a missing set, an address of unknown locality),
 * returns one path for each possibility.
 *
 * Established connections, routes, later packets of the connection and rules of other subsystems are not modelled.
 * Valid packets of plain TCP, UDP and SCTP are assumed. A subsystem that is missing in the state counts as empty.
 *
 * @example
 * ```ts
 * const [{ state }] = compile(input, { nodeName: 'node-1' }).families
 * const [path] = trace(state, packet, { addresses: ['192.168.0.2'] })
 * path.outcome // => { kind: 'delivered', address: '10.244.1.5', port: 8080, masqueraded: false }
 * ```
 */
export function trace(state: NodeState, packet: Packet, traceContext: TraceContext = {}): readonly TracePath[] {
  return createTracer(state, traceContext)(packet)
}

/** Creates a `trace` function for one state. The function indexes the rules only once, so it is faster for many packets. */
export function createTracer(
  state: NodeState,
  traceContext: TraceContext = {},
): (packet: Packet) => readonly TracePath[] {
  checkState('state', state)
  checkTraceContext('traceContext', traceContext)
  const { trace: traced } = getTracer(state, traceContext)
  return (packet) => {
    checkPacket(packet, state.family)
    return traced(packet)
  }
}

/** Traces packets through a state. */
export interface Tracer {
  /** Traces a packet. If `readSet` is given, records in it the packet fields that the rules read. */
  readonly trace: (packet: Packet, readSet?: ReadSet) => readonly TracePath[]
  /** Traces packets that differ only in their source. The source of `packet` is the first source. */
  readonly traceSharedPaths: (
    packet: Packet,
    equivalents: EquivalentSources,
    readSet: ReadSet,
  ) => readonly SharedPathEnd[]
  readonly facts: NodeFacts
}

/**
 * Returns a tracer. The last tracer is cached with the state. There is no cache if the state does not support
 * memoization, or if the context has affinity entries, because they differ for each call.
 */
export function getTracer(state: NodeState, traceContext: TraceContext): Tracer {
  const { addresses, affinity = [] } = traceContext
  if (affinity.length > 0) return makeTracer(state, traceContext)
  const recent = memoize(state, noTracer)
  if (recent.made === undefined || !areSameAddresses(recent.made.addresses, addresses)) {
    recent.made = { addresses: addresses?.slice(), tracer: makeTracer(state, traceContext) }
  }
  return recent.made.tracer
}

interface RecentTracer {
  made?: { readonly addresses: readonly string[] | undefined; readonly tracer: Tracer }
}

function noTracer(): RecentTracer {
  return {}
}

function areSameAddresses(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a === undefined || b === undefined ? a === b : haveSameItems(a, b)
}

function makeTracer(state: NodeState, traceContext: TraceContext): Tracer {
  const filled = state.coverage === undefined ? state : fillIn(state)
  const facts = createNodeFacts(filled, traceContext)
  const environment = { program: createProgram(filled), facts, conditions: createConditionTable() }
  const toProxy = createLazyGetter(() => proxiedPlaces(filled))
  return {
    trace: (packet, reads) =>
      toProxiedPaths(tracePaths({ packet: kernelPacket(packet), reads }, environment), packet.protocol, toProxy()),
    traceSharedPaths: (packet, sources, reads) =>
      toProxiedPaths(
        traceSharedPaths({ packet: kernelPacket(packet), sources, reads }, environment),
        packet.protocol,
        toProxy(),
      ),
    facts,
  }
}

/**
 * Returns the local addresses and ports where a proxy process accepts connections, in the format `TCP
 * 192.168.0.2:40001`.
 */
function proxiedPlaces(state: NodeState): ReadonlySet<string> {
  const places = PROXY_MODES.flatMap((name) => PROXY_LISTENER_READERS[name](state))
  return new Set(
    places.flatMap(({ protocol, address, port }) =>
      address === undefined ? [] : [`${protocol} ${joinHostPort(address, port)}`],
    ),
  )
}

function toProxiedPaths<End extends { readonly outcome: Outcome }>(
  ends: readonly End[],
  protocol: Packet['protocol'],
  places: ReadonlySet<string>,
): readonly End[] {
  if (places.size === 0) return ends
  return ends.map((end) => {
    const { outcome } = end
    if (outcome.kind !== 'delivered') return end
    const { address, port } = outcome
    return places.has(`${protocol} ${joinHostPort(address, port)}`) ? { ...end, outcome: { kind: 'proxy', port } } : end
  })
}

/**
 * Completes a fragment with the standard parts of kube-proxy: the missing static chains, and the missing jumps to
 * existing chains.
 */
function fillIn(state: NodeState): NodeState {
  return PROXY_MODES.reduce((filled, name) => MISSING_CONTENT_ADDERS[name](filled), state)
}

/** Creates the packet at the first hook. */
function kernelPacket(packet: Packet): KernelPacket {
  const { origin, protocol, source, isSourceUnknown, sourcePort, destination, destinationPort } = packet
  return {
    family: familyOf(destination),
    protocol: protocol.toLowerCase(),
    source,
    isSourceUnknown,
    sourcePort,
    destination,
    destinationPort,
    originalDestination: destination,
    originalDestinationPort: destinationPort,
    inInterface: origin === 'node' ? '' : packet.inInterface,
    sentByNode: origin === 'node',
    // Only packets from pods may be bridged, because only pods can be attached to a bridge.
    bridged: origin === 'pod' ? 'unknown' : 'no',
    mark: 0,
    connectionMark: 0,
    unknownMark: undefined,
    unknownConnectionMark: undefined,
    untracked: false,
    translatedBy: undefined,
    virtualServer: undefined,
    masqueraded: false,
    destinationDecided: 'no',
    sourceDecided: 'no',
  }
}
