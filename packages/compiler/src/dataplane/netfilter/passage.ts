import type { Hook } from './hooks.js'
import type { KernelPacket } from './kernel-packet.js'
import type { Knowledge } from './knowledge.js'
import { type Truth, truthOf } from './truth.js'

/** A packet at a hook. */
export interface Passage {
  readonly packet: KernelPacket
  readonly hook: Hook
  readonly knowledge: Knowledge
}

/** Reports whether the packet entered through an interface with this name; a trailing `+` matches a prefix. */
export function cameInBy(name: string, { packet, hook }: Passage): Truth {
  if (hook === 'OUTPUT' || hook === 'POSTROUTING' || packet.inInterface === '') return 'no'
  packet.asked?.interfaces.add(name)
  // Only packets of the node to itself enter through `lo`, so this name is decidable even for an unknown interface.
  if (packet.inInterface === undefined) return name === 'lo' ? 'no' : 'unknown'
  return truthOf(fits(name, packet.inInterface))
}

/** Reports whether it leaves through such an interface. For anything but `lo`, routes would be required. */
export function goesOutBy(name: string, { packet, hook, knowledge }: Passage): Truth {
  if (hook === 'PREROUTING' || hook === 'INPUT') return 'no'
  const isLocal = knowledge.isLocal(packet.destination)
  if (isLocal === 'yes') return truthOf(fits(name, 'lo'))
  return isLocal === 'no' && name === 'lo' ? 'no' : 'unknown'
}

function fits(name: string, actual: string): boolean {
  return name.endsWith('+') ? actual.startsWith(name.slice(0, -1)) : actual === name
}
