import { type IpFamily, isLoopback, type Packet } from '@kube-rules/types'
import type { CompileResult } from './compile.js'
import type { IpsetState } from './dataplane/ipset/ast.js'
import { setMembership } from './dataplane/ipset/evaluate.js'
import type { IptablesState } from './dataplane/iptables/ast.js'
import { iptablesStations } from './dataplane/iptables/evaluate.js'
import type { IpvsState } from './dataplane/ipvs/ast.js'
import { ipvsStations } from './dataplane/ipvs/evaluate.js'
import type { Surroundings } from './dataplane/netfilter/surroundings.js'
import { type Truth, truthOf } from './dataplane/netfilter/truth.js'
import { traceWays, type Way } from './trace/trace.js'

/** The rules of one address family on a node, compiled or read from dumps. What is absent is taken for empty. */
export interface NodeRules {
  readonly family: IpFamily
  readonly iptables?: IptablesState | undefined
  readonly ipsets?: IpsetState | undefined
  readonly ipvs?: IpvsState | undefined
  /**
   * Every address of the node, loopback apart, those of `kube-ipvs0` included. Absent: not known, so that nobody can
   * tell whether another address than a loopback one is the node's own.
   */
  readonly addresses?: readonly string[] | undefined
}

export interface TraceOptions {
  /** The clients that session affinity remembers. Default: none. */
  readonly affinity?: readonly RememberedClient[] | undefined
}

/** A client that stays with an endpoint, in the terms of the rules that keep it there. */
export type RememberedClient =
  /** On the list of a KUBE-SEP chain, which has the chain's name. */
  | { readonly client: string; readonly list: string; readonly secondsAgo: number }
  /** Of a virtual server (`10.96.0.1:80/TCP`), with its real server (`10.244.1.1:8080`). */
  | { readonly client: string; readonly virtualServer: string; readonly realServer: string }

/** The rules of one family of a result, and the node's addresses. Undefined where the family was not compiled. */
export function nodeRules(result: CompileResult, family: IpFamily): NodeRules | undefined {
  if (result.mode === 'iptables') {
    const found = result.families.find((each) => each.family === family)
    return (
      found && { family, iptables: found.state, addresses: found.plan.node.addresses.map(({ address }) => address) }
    )
  }
  const found = result.families.find((each) => each.family === family)
  if (found === undefined) return undefined
  const { iptables, ipsets, virtualServers: ipvs, boundAddresses } = found.state
  const addresses = [...found.plan.node.addresses.map(({ address }) => address), ...boundAddresses]
  return { family, iptables, ipsets, ipvs, addresses }
}

/**
 * The ways that the first packet of a connection may take through the rules, over the hooks of netfilter: one way for
 * each outcome, with its exact probability. Nothing is guessed: where it makes a difference what cannot be told (a match
 * that is not known, a set that is not there, whether an address is the node's own), there is a way for either case.
 *
 * Established connections, routes, other packets of the connection and rules outside of iptables and ipvs are no part
 * of it. Valid packets of plain TCP, UDP and SCTP are assumed.
 */
export function trace(rules: NodeRules, packet: Packet, options: TraceOptions = {}): readonly Way[] {
  return prepareTrace(rules, options)(packet)
}

/** `trace` for many packets: the rules are looked through once. */
export function prepareTrace(rules: NodeRules, options: TraceOptions = {}): (packet: Packet) => readonly Way[] {
  const surroundings = surroundingsOf(rules, options)
  const stations = [
    ...(rules.iptables ? iptablesStations(rules.iptables, surroundings) : []),
    ...(rules.ipvs ? ipvsStations(rules.ipvs, surroundings) : []),
  ]
  return (packet) => traceWays(packet, { stations, surroundings })
}

function surroundingsOf({ ipsets, addresses }: NodeRules, { affinity = [] }: TraceOptions): Surroundings {
  const own = addresses && new Set(addresses)
  return {
    isLocal: (address) => isLocal(address, own),
    inSet: setMembership(ipsets ?? { sets: [] }),
    secondsSinceSeen: (list, address) =>
      affinity.flatMap((each) =>
        'list' in each && each.list === list && each.client === address ? each.secondsAgo : [],
      )[0],
    persistentServer: (virtualServer, address) =>
      affinity.flatMap((each) =>
        'virtualServer' in each && each.virtualServer === virtualServer && each.client === address
          ? each.realServer
          : [],
      )[0],
  }
}

function isLocal(address: string, own: ReadonlySet<string> | undefined): Truth {
  if (isLoopback(address)) return 'yes'
  return own === undefined ? 'unknown' : truthOf(own.has(address))
}
