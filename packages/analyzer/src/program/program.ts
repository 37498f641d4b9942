import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import type { AddressOperand } from './address-range.js'
import type { Element, Elements } from './elements.js'
import type { KernelPacket } from './kernel-packet.js'
import type { MissingContentCondition } from './missing-content.js'
import type { StepFactory } from './steps.js'

/**
 * The rules of a node in one form for all subsystems. A kernel loads text into a program; so do we. Each subsystem is
 * lowered to this form on demand, chain by chain.
 */
export interface Program {
  /** The base chains of each hook, in the order of the calls by the kernel. */
  readonly hooks: Readonly<Record<Hook, readonly BaseChain[]>>
}

/** A chain that a hook calls. */
export interface BaseChain {
  readonly hook: Hook
  /** Base chains with lower priorities come first. */
  readonly priority: number
  /** Whether the chain decides about the translation of a connection. A hook calls it for undecided connections only. */
  readonly translates: boolean
  readonly chain: Chain
  /** Applied to a packet that reaches the end of the chain; absent if such a packet continues. */
  readonly policy?: readonly Effect[] | undefined
}

/** Instructions in order. */
export interface Chain {
  /** Identifies the chain in messages: `nat/KUBE-SERVICES`. */
  readonly name: string
  /**
   * Returns the instructions that may match a packet, in order. With `allPorts`, instructions for other ports of the
   * destination are included, so that their ports can be read.
   */
  readonly instructionsFor: (packet: KernelPacket, allPorts: boolean) => readonly Instruction[]
  /** Reports whether packets to all destinations have the same instructions. If absent, they may not. */
  readonly ignoresDestination?: ((packet: KernelPacket) => boolean) | undefined
  /** The content of the chain that a text does not show; absent if the chain is complete. */
  readonly missing?: MissingContent | undefined
}

/**
 * The missing content of a chain. With `all`, the effect of the chain is unknown. With `some`, the missing instructions
 * may have no effect.
 */
export interface MissingContent {
  readonly what: 'all' | 'some'
  readonly reason: string
  /** The assumption that the missing content has no effect. Default: `MISSING_CONTENT_CONDITION`. */
  readonly condition?: MissingContentCondition | undefined
}

/** A rule, virtual server or similar. */
export interface Instruction {
  /** The conditions. The instruction matches if all of them are true. */
  readonly literals: readonly Literal[]
  /** The effects on a matching packet, in order. */
  readonly effects: readonly Effect[]
  /** Formats the assumption that the instruction matches: `iptables nat -A … matches`. */
  readonly condition: () => string
  /** The reason why the instruction is incomplete: a set that it looks up has elements that a text does not show. */
  readonly missing?: string | undefined
}

/**
 * A condition on a packet. With `negated`, it is true if the condition is false. A literal that depends on nothing but
 * the packet decides; `unknown` never does.
 */
export type Literal = Condition & { readonly negated?: boolean | undefined }

export type Condition =
  | { readonly kind: 'address'; readonly side: Side; readonly operands: readonly AddressOperand[] }
  | { readonly kind: 'port'; readonly side: Side; readonly ranges: readonly PortRange[] }
  /** The transport protocol is one of these, in lower case: `tcp`. */
  | { readonly kind: 'protocol'; readonly protocols: readonly string[] }
  /** The name of the interface; a trailing `+` is a wildcard. */
  | { readonly kind: 'interface'; readonly direction: 'in' | 'out'; readonly name: string }
  /** The masked bits of the mark of the packet, or of its connection, have the value. */
  | { readonly kind: 'mark'; readonly of: 'packet' | 'connection'; readonly value: number; readonly mask: number }
  /** The address has one of these types of addrtype or fib, in upper case: `LOCAL`. */
  | { readonly kind: 'addressType'; readonly side: Side; readonly types: readonly string[] }
  /** The address is one of the node, whatever the packet. */
  | { readonly kind: 'localAddress'; readonly address: string }
  /** The packet has one of these states, in upper case: `NEW`, `UNTRACKED`, `DNAT`. */
  | { readonly kind: 'state'; readonly states: readonly string[] }
  /** The packet entered through a port of a bridge. */
  | { readonly kind: 'bridged' }
  /** A process on the node sent the packet. */
  | { readonly kind: 'sentByNode' }
  /** The fields are an element of a set. Without `elements`, the content of the set is unknown. */
  | { readonly kind: 'lookup'; readonly fields: readonly Field[]; readonly elements: () => Elements | undefined }
  /** The source was seen in the list within so many seconds. */
  | { readonly kind: 'seen'; readonly list: string; readonly seconds: number }
  /** The virtual server accepted the packet; `protocol` in lower case. An absent field has any value. */
  | {
      readonly kind: 'virtualServer'
      readonly address?: string | undefined
      readonly protocol?: string | undefined
      readonly port?: number | undefined
    }
  | { readonly kind: 'chance'; readonly share: Fraction }
  /** All literals hold. */
  | { readonly kind: 'all'; readonly literals: readonly Literal[] }
  /** True for every first packet of a connection. */
  | { readonly kind: 'always' }
  /** Nothing here decides it. */
  | { readonly kind: 'unknown' }

/** An address or port of a packet. The original destination is that before any translation. */
export type Side = 'source' | 'destination' | 'originalDestination'

export interface PortRange {
  readonly first: number
  readonly last: number
}

/** A field of a packet as a component of a key. `unknown` is a field without a known value. */
export type Field =
  | 'source'
  | 'sourcePort'
  | 'destination'
  | 'destinationPort'
  | 'originalDestination'
  | 'originalDestinationPort'
  | 'protocol'
  | 'mark'
  | 'connectionMark'
  | 'inInterface'
  | 'unknown'

/** An effect of an instruction. The effects from `accept` to `unknown` end the instruction. */
export type Effect =
  /** Records a step of the path. */
  | { readonly kind: 'step'; readonly step: StepFactory }
  /** The remaining effects need further conditions. */
  | { readonly kind: 'require'; readonly literals: readonly Literal[] }
  /** mark = (mark & ~clear) ^ flip, for the mark of the packet or of its connection. */
  | { readonly kind: 'setMark'; readonly of: 'packet' | 'connection'; readonly clear: number; readonly flip: number }
  /** to = (to & ~clear) ^ (from & sourceMask), between the marks of the packet and of its connection. */
  | {
      readonly kind: 'copyMark'
      readonly to: 'packet' | 'connection'
      readonly clear: number
      readonly sourceMask: number
    }
  /** The connection of the packet is not tracked. */
  | { readonly kind: 'untrack' }
  /** These bits of the mark of the packet, or of its connection, are unknown from here on. */
  | { readonly kind: 'forgetMark'; readonly of: 'packet' | 'connection'; readonly bits: number }
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'reject'; readonly with: string }
  | { readonly kind: 'return' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: ChainReference }
  /** Changes the destination, once per connection, and accepts. Without `address` or `port`, this field is kept. */
  | {
      readonly kind: 'translateDestination'
      readonly address?: string | undefined
      readonly port?: number | undefined
    }
  /** Changes the destination to a port of the node, and accepts. */
  | { readonly kind: 'redirect'; readonly port?: number | undefined }
  /** Changes the source to an address of the node, and accepts. */
  | { readonly kind: 'masquerade' }
  /** Takes the effects of the element that matches; the packet continues at the next instruction if there is none. */
  | {
      readonly kind: 'dispatch'
      readonly fields: readonly Field[]
      readonly elements: () => Elements | undefined
      readonly effectsOf: (element: Element) => readonly Effect[]
      /** Formats why the element cannot be determined. */
      readonly unknownReason: () => string
      /** Applied if the element cannot be determined. If absent, the path ends. */
      readonly ifUnknown?: readonly Effect[] | undefined
    }
  /** Takes one of several choices; the packet continues at the next instruction for the rest of the probability. */
  | { readonly kind: 'choose'; readonly choices: readonly Choice[] }
  /** A virtual server accepts the packet; for a client with a persistence entry, its real server alone is chosen. */
  | {
      readonly kind: 'schedule'
      readonly server: { readonly address: string; readonly port: number; readonly protocol: string }
      /** The name in persistence entries, `10.96.0.1:80/TCP`, and their timeout in seconds. */
      readonly persistence?: { readonly name: string; readonly seconds: number } | undefined
      readonly choices: readonly Choice[]
      /** Applied if there is no choice. */
      readonly otherwise: readonly Effect[]
    }
  /** A real server receives the packet. Port 0 keeps the port. */
  | { readonly kind: 'send'; readonly address: string; readonly port: number }
  /** The packet cannot be followed. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** One of several alternatives. */
export interface Choice {
  /** The probability; absent if it is not known. Then `condition` names the assumption that this one is chosen. */
  readonly share?: Fraction | undefined
  readonly condition?: string | undefined
  /** The name of a real server in persistence entries. */
  readonly name?: string | undefined
  readonly effects: readonly Effect[]
}

/** A chain that an instruction calls. */
export interface ChainReference {
  readonly name: string
  /** Returns the chain; undefined if it does not exist. `ignored` if packets pass a chain that a text leaves out. */
  readonly resolve: () => Chain | undefined | 'ignored'
}
