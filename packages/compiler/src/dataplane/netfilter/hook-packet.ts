import type { EvaluationContext } from './evaluation-context.js'
import type { Hook } from './hooks.js'
import type { KernelPacket } from './kernel-packet.js'
import { type Ternary, toTernary } from './ternary.js'

/** A packet at a hook. */
export interface HookPacket {
  readonly packet: KernelPacket
  readonly hook: Hook
  readonly facts: EvaluationContext
}

/** Returns a packet at a hook. */
export type HookPacketFactory = (packet: KernelPacket, facts: EvaluationContext) => HookPacket

/** Returns a factory of packets at this hook. Successive calls with the same packet and facts return the same object. */
export function createHookPacketFactory(hook: Hook): HookPacketFactory {
  let last: HookPacket | undefined
  return (packet, facts) => {
    if (last === undefined || last.packet !== packet || last.facts !== facts) last = { packet, hook, facts }
    return last
  }
}

/** Reports whether the packet entered through an interface with this name. A trailing `+` matches any suffix. */
export function matchesInInterface(name: string, { packet, hook }: HookPacket): Ternary {
  if (hook === 'OUTPUT' || hook === 'POSTROUTING' || packet.inInterface === '') return 'no'
  packet.readSet?.interfaces.add(name)
  // Only packets of the node to itself enter through `lo`, so this name can be decided even if the interface is
  // unknown.
  if (packet.inInterface === undefined) return name === 'lo' ? 'no' : 'unknown'
  return toTernary(matchesInterfaceName(name, packet.inInterface))
}

/**
 * Reports whether the packet leaves through an interface with this name. Routes are not modelled, so only `lo` can be
 * decided.
 */
export function matchesOutInterface(name: string, { packet, hook, facts }: HookPacket): Ternary {
  if (hook === 'PREROUTING' || hook === 'INPUT') return 'no'
  const isLocal = facts.isLocal(packet.destination)
  if (isLocal === 'yes') return toTernary(matchesInterfaceName(name, 'lo'))
  return isLocal === 'no' && name === 'lo' ? 'no' : 'unknown'
}

/** Reports whether an interface has a name; a trailing `+` in the name of a match is a wildcard. */
export function matchesInterfaceName(name: string, actual: string): boolean {
  return name.endsWith('+') ? actual.startsWith(name.slice(0, -1)) : actual === name
}
