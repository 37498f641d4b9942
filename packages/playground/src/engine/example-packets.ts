import { classifySource, createExampleSource, createSourceContext, traceContextFor } from '@kube-rules/analyzer/explain'
import type { CompileResult } from '@kube-rules/compiler'
import type { Packet } from '@kube-rules/types'
import { familyOf, joinHostPort } from '@kube-rules/types/internal/ip'
import { formatPacketText } from '../question/packet-text.js'

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
