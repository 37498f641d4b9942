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

/** Whether the packet came in by an interface of this name; with a `+` at its end, of a name that begins so. */
export function cameInBy(name: string, { packet, hook }: Passage): Truth {
  if (hook === 'OUTPUT' || hook === 'POSTROUTING' || packet.inInterface === '') return 'no'
  packet.asked?.interfaces.add(name)
  // What a node sends to itself comes in by `lo`, and nothing else does: of that it is known.
  if (packet.inInterface === undefined) return name === 'lo' ? 'no' : 'unknown'
  return truthOf(fits(name, packet.inInterface))
}

/** Whether it goes out by such an interface: for others than `lo`, routes would have to be known. */
export function goesOutBy(name: string, { packet, hook, knowledge }: Passage): Truth {
  if (hook === 'PREROUTING' || hook === 'INPUT') return 'no'
  const isLocal = knowledge.isLocal(packet.destination)
  if (isLocal === 'yes') return truthOf(fits(name, 'lo'))
  return isLocal === 'no' && name === 'lo' ? 'no' : 'unknown'
}

function fits(name: string, actual: string): boolean {
  return name.endsWith('+') ? actual.startsWith(name.slice(0, -1)) : actual === name
}
