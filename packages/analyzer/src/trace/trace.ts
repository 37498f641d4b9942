import type { Alike } from '@kube-rules/compiler/internal/dataplane/netfilter/alike'
import type { Asked } from '@kube-rules/compiler/internal/dataplane/netfilter/asked'
import { type Branch, depart, NEXT, type Station } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { knownIn } from '@kube-rules/compiler/internal/dataplane/netfilter/fragment'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import { setId } from '@kube-rules/compiler/internal/dataplane/netfilter/set-id'
import { anyOf, truthOf } from '@kube-rules/compiler/internal/dataplane/netfilter/truth'
import {
  type NodeState,
  SUBSYSTEMS,
  type Subsystem,
  subsystemsIn,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { isSameList } from '@kube-rules/compiler/internal/internal/is-same-list'
import { lazily, memo } from '@kube-rules/compiler/internal/internal/memo'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { isOfKubeProxy } from '@kube-rules/compiler/internal/reconcile/is-of-kube-proxy'
import { PROXY_MODES } from '@kube-rules/compiler/internal/targets/modes'
import { familyOf, isLoopback, joinHostPort, type Outcome, type Packet } from '@kube-rules/types'
import { isAskedFor } from '../dataplane/all-asked.js'
import { OTHER_TABLES, pastMissing } from '../dataplane/netfilter/missing.js'
import { HOOK_HANDLERS, type HookHandler } from './hook-handlers.js'
import { FILL_INS, PROXY_READERS } from './mode-readers.js'
import { type SharedEnd, traceShared, traceWays, type Way } from './trace-ways.js'

/** What a trace has to know of the machine beside what it holds of rules. */
export interface Surroundings {
  /**
   * Every address of the node but for loopback ones and those of `kube-ipvs0`. Absent: not known, so that nobody can tell
   * whether another address is the node's own.
   */
  readonly addresses?: readonly string[] | undefined
  /** The clients that session affinity remembers. Default: none. */
  readonly affinity?: readonly RememberedClient[] | undefined
}

/** A client that stays with an endpoint, in the terms of the rules that keep it there. */
export type RememberedClient =
  /** On the list of a KUBE-SEP chain, which has the chain's name, or in a set of nftables that rules fill. */
  | { readonly client: string; readonly list: string; readonly secondsAgo: number }
  /** Of a virtual server (`10.96.0.1:80/TCP`), with its real server (`10.244.1.1:8080`). */
  | { readonly client: string; readonly virtualServer: string; readonly realServer: string }

/** What a plan knows of its node. */
export function surroundingsOf({ node }: Plan): Surroundings {
  return { addresses: node.addresses.map(({ address }) => address) }
}

/**
 * The ways that the first packet of a connection may take through the rules, over the hooks of netfilter: one way for
 * each outcome, with its exact probability. Nothing is guessed: where it makes a difference what cannot be told (a match
 * that is not known, a set that is not there, whether an address is the node's own), there is a way for either case.
 *
 * Established connections, routes, other packets of the connection and rules of other languages are no part of it. Valid
 * packets of plain TCP, UDP and SCTP are assumed. A language that the state does not have is taken to hold nothing.
 */
export function trace(state: NodeState, packet: Packet, surroundings: Surroundings = {}): readonly Way[] {
  return prepareTrace(state, surroundings)(packet)
}

/** `trace` for many packets: the rules are looked through once. */
export function prepareTrace(state: NodeState, surroundings: Surroundings = {}): (packet: Packet) => readonly Way[] {
  const { trace: traced } = tracerOf(state, surroundings)
  return (packet) => traced(packet)
}

/** Traces packets through a state. */
export interface Tracer {
  /** With `asked`, what the rules ask of the packet is written down there. */
  readonly trace: (packet: Packet, asked?: Asked) => readonly Way[]
  /** The same for packets that are alike but for their source; that of `packet` is the first of these. */
  readonly traceShared: (packet: Packet, alike: Alike, asked: Asked) => readonly SharedEnd[]
  readonly knowledge: Knowledge
}

/** The last one is kept with a state that keeps findings, unless clients are remembered: those are others each time. */
export function tracerOf(state: NodeState, surroundings: Surroundings): Tracer {
  const { addresses, affinity = [] } = surroundings
  if (affinity.length > 0) return makeTracer(state, surroundings)
  const recent = memo(state, noTracer)
  if (recent.made === undefined || !areSameAddresses(recent.made.addresses, addresses)) {
    recent.made = { addresses: addresses?.slice(), tracer: makeTracer(state, surroundings) }
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
  return a === undefined || b === undefined ? a === b : isSameList(a, b)
}

function makeTracer(state: NodeState, surroundings: Surroundings): Tracer {
  const filled = state.fragment === undefined ? state : fillIn(state)
  const knowledge = knowledgeOf(filled, surroundings)
  const stations = [
    ...gapStations(filled, knowledge),
    ...subsystemsIn(filled).flatMap((name) => handlerOf(name).stations?.(filled[name], knowledge) ?? []),
  ].sort((a, b) => a.priority - b.priority)
  const at = (hook: Hook) => stations.filter((station) => station.hook === hook)
  const terrain = {
    stations: {
      PREROUTING: at('PREROUTING'),
      INPUT: at('INPUT'),
      FORWARD: at('FORWARD'),
      OUTPUT: at('OUTPUT'),
      POSTROUTING: at('POSTROUTING'),
    },
    knowledge,
  }
  const toProxy = lazily(() => proxiedPlaces(filled))
  return {
    trace: (packet, asked) =>
      traceWays(kernelPacket(packet, asked), terrain).map((way) => asProxied(way, packet.protocol, toProxy)),
    traceShared: (packet, alike, asked) =>
      traceShared({ ...kernelPacket(packet, asked), alike }, terrain).map((end) =>
        asProxied(end, packet.protocol, toProxy),
      ),
    knowledge,
  }
}

/** The handler of a subsystem without regard to what its states are. */
function handlerOf(name: Subsystem): HookHandler<unknown> {
  return HOOK_HANDLERS[name]
}

/** Where a process of the node takes the connections, as `TCP 192.168.0.2:40001`. */
function proxiedPlaces(state: NodeState): ReadonlySet<string> {
  const places = PROXY_MODES.flatMap((name) => PROXY_READERS[name](state))
  return new Set(
    places.flatMap(({ protocol, address, port }) =>
      address === undefined ? [] : [`${protocol} ${joinHostPort(address, port)}`],
    ),
  )
}

function asProxied<End extends { readonly outcome: Outcome }>(
  end: End,
  protocol: Packet['protocol'],
  places: () => ReadonlySet<string>,
): End {
  const { outcome } = end
  if (outcome.kind !== 'delivered') return end
  const { address, port } = outcome
  if (places().size === 0) return end
  return places().has(`${protocol} ${joinHostPort(address, port)}`) ? { ...end, outcome: { kind: 'proxy', port } } : end
}

/** What of a fragment everybody knows who knows kube-proxy: its own chains that are missing, and what leads to them. */
function fillIn(state: NodeState): NodeState {
  return PROXY_MODES.reduce((filled, name) => FILL_INS[name](filled), state)
}

/** Where tables were not asked for, nothing is sure from the beginning. */
function gapStations(state: NodeState, { known }: Knowledge): readonly Station[] {
  if (known === undefined) return []
  const isAllAsked = SUBSYSTEMS.some((name) => isAskedFor(name, state, known))
  if (isAllAsked) return []
  const reason = 'not all tables are in what was given'
  const stop = (branch: Branch, reason: string) => depart(branch, { to: 'unknown', reason })
  return (['PREROUTING', 'OUTPUT'] as const).map((hook) => ({
    hook,
    priority: Number.NEGATIVE_INFINITY,
    visit: (branch) => pastMissing(branch, { reason, goOn: (way) => [depart(way, NEXT)], stop }, OTHER_TABLES),
  }))
}

/** Whether an address is one of the node's own. */
export function localityOf(state: NodeState, { addresses }: Pick<Surroundings, 'addresses'>): Knowledge['isLocal'] {
  const binding = subsystemsIn(state).flatMap((name) => handlerOf(name).knows?.(state[name]).isLocal ?? [])
  const own = new Set(addresses)
  const isOwn = (address: string) => (addresses === undefined ? 'unknown' : truthOf(own.has(address)))
  const isAnyBound = subsystemsIn(state).some((name) => handlerOf(name).needsAddresses)
  // Addresses that are bound may be among what was not given.
  const mayBeBound = isAnyBound && state.fragment !== undefined && !knownIn(state.fragment).isWhole('addresses')
  return (address) => {
    if (isLoopback(address) || binding.some((isBound) => isBound(address) === 'yes')) return 'yes'
    const answer = isOwn(address)
    return answer === 'no' && mayBeBound ? 'unknown' : answer
  }
}

function knowledgeOf(state: NodeState, { addresses, affinity = [] }: Surroundings): Knowledge {
  const holding = subsystemsIn(state).flatMap((name) => handlerOf(name).knows?.(state[name]).inSet ?? [])
  const known = state.fragment === undefined ? undefined : { ...knownIn(state.fragment), isOurs: isOfKubeProxy }
  return {
    ...(known !== undefined && { known }),
    isLocal: localityOf(state, { addresses }),
    inSet: (name, directions, packet) => {
      if (holding.length === 0) return 'unknown'
      const answer = anyOf(holding.map((inSet) => inSet(name, directions, packet)))
      // It may hold what is missing of it.
      return answer === 'no' && known?.isWhole('ipset', setId(name)) === false ? 'unknown' : answer
    },
    secondsSinceSeen: (list, address) => {
      const seen = affinity.find((each) => 'list' in each && each.list === list && each.client === address)
      return seen && 'list' in seen ? seen.secondsAgo : undefined
    },
    persistentServer: (server, address) => {
      const kept = affinity.find(
        (each) => 'virtualServer' in each && each.virtualServer === server && each.client === address,
      )
      return kept && 'virtualServer' in kept ? kept.realServer : undefined
    },
  }
}

/** A packet as it comes to the first hook. */
function kernelPacket(packet: Packet, asked: Asked | undefined): KernelPacket {
  const { origin, protocol, source, sourcePort, destination, destinationPort } = packet
  return {
    family: familyOf(destination),
    protocol: protocol.toLowerCase(),
    source,
    sourcePort,
    destination,
    destinationPort,
    inInterface: origin === 'node' ? '' : packet.inInterface,
    // Only pods may hang on a bridge.
    bridged: origin === 'pod' ? 'unknown' : 'no',
    mark: 0,
    translatedBy: undefined,
    virtualServer: undefined,
    masqueraded: false,
    destinationDecided: 'no',
    sourceDecided: 'no',
    asked,
    alike: undefined,
    destinationLog: undefined,
  }
}
