import { type TracePath, trace } from '@kube-rules/analyzer'
import type { Difference } from '@kube-rules/analyzer/compare'
import { classifySource, createExampleSource, createSourceContext, traceContextFor } from '@kube-rules/analyzer/explain'
import type { CompileResult } from '@kube-rules/compiler'
import type { Packet } from '@kube-rules/types'
import { familyOf, isLoopback, joinHostPort } from '@kube-rules/types/internal/ip'
import { formatPacketText } from '../question/packet-text.js'

/** A compiled side of a comparison. */
type Side = Pick<CompileResult, 'families'>

/**
 * Returns a function that finds an example of a difference, as text for the packet box: a packet from a pod, outside or
 * the node if it has the same outcomes, otherwise the packet of the difference.
 */
export function createExampleFinder(before: Side, after: CompileResult): (difference: Difference) => string {
  const formatPacket = createPacketFormatter(after)
  const contexts = after.families.map(({ state, plan }) => createSourceContext(state, traceContextFor(plan), plan))
  return ({ packet, a, b }) => {
    const family = familyOf(packet.destination)
    const context = contexts.find((each) => each.family === family)
    const outcomesOn = ({ families }: Side, example: Packet) =>
      families.flatMap((each) =>
        each.family === family ? outcomesOf(trace(each.state, example, traceContextFor(each.plan))) : [],
      )
    const isToNode = context?.addresses?.includes(packet.destination)
    for (const origin of originsOf(packet, isToNode === true)) {
      const source = context && createExampleSource(origin, context)
      if (source === undefined) continue
      const example = { ...packet, inInterface: undefined, ...source }
      const isExample = [a, b].every(
        ({ paths }, index) => outcomesOn(index === 0 ? before : after, example).join() === outcomesOf(paths).join(),
      )
      if (isExample) return formatPacket(example)
    }
    return formatPacket(packet)
  }
}

/** Returns the origins of a packet, the most usual first. Only the node itself can send packets to a loopback address. */
function originsOf({ destination }: Packet, isToNode: boolean): readonly Packet['origin'][] {
  if (isLoopback(destination)) return ['node']
  return isToNode ? ['outside', 'pod', 'node'] : ['pod', 'outside', 'node']
}

function outcomesOf(paths: readonly TracePath[]): readonly string[] {
  return paths.map(({ weight, outcome }) => JSON.stringify([weight, outcome])).sort()
}

/**
 * Returns a function that formats a packet as text for the packet box. The text is empty if the packet box would derive
 * another origin from the source address.
 */
export function createPacketFormatter({ families }: CompileResult): (packet: Packet) => string {
  // Creates the contexts only once: each context checks the whole state, and there are as many sources as endpoints.
  const contexts = families.map(({ state, plan }) => createSourceContext(state, traceContextFor(plan), plan))
  const sources = new Map<string, string>()
  const sourceOf = ({ origin, source, destination }: Packet): string => {
    const context = contexts.find(({ family }) => family === familyOf(destination))
    if (context === undefined) return ''
    if (createExampleSource(origin, context)?.source === source) return origin
    return classifySource(source, context).origin === origin ? source : ''
  }
  return (packet) => {
    const key = `${packet.origin} ${packet.source}`
    const from = sources.get(key) ?? sourceOf(packet)
    sources.set(key, from)
    if (from === '') return ''
    const { destination, destinationPort, protocol } = packet
    const suffix = protocol === 'TCP' ? '' : `/${protocol.toLowerCase()}`
    return formatPacketText({ from, to: `${joinHostPort(destination, destinationPort)}${suffix}` })
  }
}
