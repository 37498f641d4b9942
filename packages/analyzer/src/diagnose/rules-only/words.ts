import { formatList } from '../../explain/format-list.js'
import { isLocalityCondition } from '../../program/assumed-locality.js'
import type { TracePath } from '../../trace/trace-paths.js'
import { formatPackets, type PacketDiagnosisContext, prefixWithNode } from '../packet-diagnosis-context.js'

/** An instruction to let kube-proxy write all its rules again. A dump alone does not name the node. */
export const RESTART_TEXT = 'restart kube-proxy on this node, and check the rules again'

/** An instruction to take a dump of everything that decides about packets. */
export const WHOLE_DUMP_TEXT = 'Take a dump with all tools on the node, as root: kube-rules collect prints the commands'

/** Returns `Packets from a pod to 10.0.0.1:80/TCP`, with the node if it is known. */
export function formatPacketsAtStart({ packet, expected }: PacketDiagnosisContext): string {
  return prefixWithNode(expected?.plan, formatPackets(packet))
}

/**
 * Formats the ports that the rules have at the destination: `; the rules have 53/UDP of kube-system/kube-dns:dns there`,
 * or with another clause in place of `the rules have`.
 */
export function formatCheckedPorts(facts: PacketDiagnosisContext, clause: string): string {
  const ports = listCheckedPorts(facts)
  return ports.length === 0 ? '' : `; ${clause} ${formatList(ports)} there`
}

/** Lists the ports that the rules have at the destination: `53/UDP of kube-system/kube-dns:dns`. */
export function listCheckedPorts({ packet, frontends }: PacketDiagnosisContext): readonly string[] {
  const ports = frontends()
    .filter(({ address }) => address === packet.destination)
    .map(
      ({ port, protocol, owner }) =>
        `${port}/${protocol}${owner === '' ? '' : ` of ${owner.replace(/\/[A-Z]+$/, '')}`}`,
    )
  return [...new Set(ports)]
}

/** Reports whether a path assumes of each rule that cannot be evaluated that the rule does not match. */
export function dependsOnNoMatch({ assumptions }: TracePath): boolean {
  return assumptions.every(({ condition, value }) => !value || isLocalityCondition(condition))
}
