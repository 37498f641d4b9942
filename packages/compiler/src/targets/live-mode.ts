import type { Host, IpFamily, Outcome, Packet, Protocol } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'
import type { Custody } from '../dataplane/comparison.js'
import type { LanguageName, NodeState, StateOf } from '../dataplane/languages.js'
import type { ItemOf } from '../dataplane/live-languages.js'
import type { Run } from '../dataplane/netfilter/run.js'
import type { Resource } from '../diff/resource.js'
import type { PodTraffic } from '../node/pod-traffic.js'
import type { Decision } from '../plan/decide.js'
import type { Plan, PlanFrame } from '../plan/plan.js'

/** The half of a mode that deals with a node: whose are the things that it holds, what are they there for, and how do they go. */
export interface LiveMode {
  /**
   * What a node holds, with the owners that can be told: by what the rules say themselves, and by `wanted`, what it should
   * hold, where that is known. What a language does not tell may be added where another one tells it.
   */
  attribute(live: NodeState, wanted?: NodeState): NodeState
  /** The addresses and ports at which a state sends packets to Services, each once. */
  frontends(state: NodeState): readonly StateFrontend[]
  /**
   * A fragment with what the mode is known to have where it is missing: its own fixed chains, and what leads to them. Absent:
   * nothing is filled in.
   */
  fillIn?(fragment: NodeState): NodeState
  /** How the rules of a state tell packets of pods from others; undefined where they do not. */
  podTraffic(state: NodeState): PodTraffic | undefined
  /** The minor versions of kube-proxy (`1.34`) that write such a state; undefined where it does not tell. Absent: it never does. */
  writtenBy?(state: NodeState): readonly string[] | undefined
  /** Where a state sends packets to a process of the node that goes on for them. Absent: nowhere. */
  proxies?(state: NodeState): readonly ProxyPlace[]
  /** What a state tells of the machine that is an input of the mode. Absent: nothing. */
  host?(state: NodeState): Host
  /** Whose things are that a node holds and what they are there for, in each language of the mode. */
  custody(frame: PlanFrame): Custodies
  /**
   * Whether the thing with this id is one that some version of kube-proxy makes in this mode and nobody else does: what a
   * node may have left over from it.
   */
  leavesBehind(id: string): boolean
  /**
   * What the mode has on every node under the same names, in whichever version: chains, all without rules, jumps to them,
   * sets, tables, devices. A node may have it left over.
   */
  fixed(family: IpFamily): readonly Resource[]
  /**
   * Whether what a node holds shows that the mode was in force there, for things whose names do not tell whose they are. Absent:
   * all names tell.
   */
  leavesTraces?(live: NodeState): boolean
  /** Whether the thing with this id is a set of kube-proxy that rules of the mode ask. Absent: they ask none. */
  asks?(id: string): boolean
  /** The runs by which kube-proxy leaves the mode on a node that holds `state`. */
  cleanUp(state: NodeState, features: Features): readonly Run[]
  /**
   * With which packets the limitations of the mode make a difference, by code. Each depends on nothing but what `askedByPlan`
   * says of a packet, and on what becomes of it. Those without one make none to where packets go.
   */
  readonly explanations: Readonly<Record<string, Explanation>>
}

/** Whether a limitation may be why rules do otherwise with a packet than is wanted. */
export interface Explanation {
  /** Why it goes elsewhere. Absent: it never is. */
  readonly where?: ((traced: TracedPacket) => boolean) | undefined
  /** Why it keeps its source, or does not. */
  readonly masquerade?: ((traced: TracedPacket) => boolean) | undefined
}

/** What should become of a packet, and what does. */
export interface TracedPacket {
  /** Of the mode. */
  readonly plan: Plan
  readonly packet: Packet
  /** What that plan says. */
  readonly decision: Decision
  /** What the objects ask for, where the plan of the mode cannot; else the same. */
  readonly wanted: Decision
  readonly ends: readonly End[]
}

/** Where the rules take a packet, and how likely: `1/3`. */
export interface End {
  readonly outcome: Outcome
  readonly weight: string
}

export type Custodies = { readonly [Name in LanguageName]?: Custody<StateOf<Name>, ItemOf<Name>> }

/** An address and port that a state is looked up by; without address a port of the node. */
export interface StateFrontend {
  /** Whose it is: `default/web:http/TCP`; empty where that is not known. */
  readonly owner: string
  readonly protocol: Protocol
  readonly address?: string | undefined
  readonly port: number
}

/** An address and port of the node at which a process takes the connections of service ports. */
export interface ProxyPlace {
  /** Of which service port, without its protocol (`default/web:http`); empty where that is not known. */
  readonly servicePort: string
  readonly protocol: Protocol
  /** Absent: whichever of the node's addresses. */
  readonly address?: string | undefined
  readonly port: number
}
