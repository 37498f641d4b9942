import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import { formatList } from '../../explain/format-list.js'
import { isInDefaultNodePorts } from '../../plan/default-node-ports.js'
import { dependsOnMissingRules, dependsOnMissingTables } from '../../program/missing-content.js'
import type { Diagnosis } from '../diagnosis.js'
import { findReplacements } from '../find-replacements.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { createUnnamedService, findFrontend } from '../service-of-packet.js'
import { hasRulesOfKubeProxy, isNeverHandled } from './unhandled.js'
import { formatPacketsAtStart, listCheckedPorts, RESTART_TEXT } from './words.js'

/** A destination that the rules of kube-proxy do not contain. */
interface MissingFrontend {
  /** The problem as a clause after `its rules on the node`. */
  readonly problem: string
  /** The unknown property of a Service: `has this address`. */
  readonly has: string
  /** The word that finds the Service in the list of Services. */
  readonly word: string | number
}

/**
 * Diagnoses a packet to an address and port without a rule of kube-proxy, if the rules are complete. Rules do not show
 * whether a Service has the destination. Returns undefined for packets to other processes of the node.
 */
export function diagnoseMissingFrontend(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { packet, paths, state } = facts
  const isWhole = !dependsOnMissingRules(paths) && !dependsOnMissingTables(paths)
  if (!isWhole || !isNeverHandled(facts) || findFrontend(facts) !== undefined || !hasRulesOfKubeProxy(facts)) {
    return undefined
  }
  const found = findMissingFrontend(facts)
  if (found === undefined) return undefined
  const { problem, has, word } = found
  const [other] = findReplacements(state.iptables)
  const normal = other === undefined ? '' : `if ${other.name} serves Services in place of kube-proxy, this is normal; `
  const { destination: address, destinationPort: port, protocol } = packet
  return {
    code: 'missingRule',
    summary: `${formatPacketsAtStart(facts)} are not handled by kube-proxy: its rules on the node ${problem}; without objects, it is unknown whether a Service ${has}`,
    cause: `${normal}if a Service ${has}, kube-proxy has not written its rules, or another program deleted them; if none has, kube-proxy has no part in these packets`,
    steps: [
      { text: `Check with kubectl whether a Service ${has}`, command: `kubectl get services -A | grep -wF ${word}` },
      { text: `If one has, its rules are missing: ${RESTART_TEXT}` },
    ],
    object: createUnnamedService(facts).object,
    rule: formatDestination({ address, port, protocol }),
    ruleStatus: 'missing',
  }
}

function findMissingFrontend(facts: PacketDiagnosisContext): MissingFrontend | undefined {
  const { packet, paths } = facts
  const { destination, destinationPort, protocol } = packet
  const port = `${destinationPort}/${protocol}`
  const nodePorts = isInDefaultNodePorts(destinationPort) ? findNodePorts(facts) : undefined
  if (nodePorts !== undefined) {
    return nodePorts.includes(port)
      ? undefined
      : { problem: `have no node port ${port}`, has: 'has it', word: destinationPort }
  }
  const ports = listCheckedPorts(facts)
  if (ports.length > 0) {
    const problem = `have ${formatList(ports)} at ${destination}, not ${port}`
    return { problem, has: 'has this port', word: destination }
  }
  return paths.every(({ outcome }) => outcome.kind === 'unmatched' && outcome.to === 'node')
    ? undefined
    : { problem: `do not have ${destination}`, has: 'has this address', word: destination }
}

/** Lists the node ports in the rules. Undefined if the rules have another port at the destination: it is no node. */
function findNodePorts({ packet: { destination }, frontends }: PacketDiagnosisContext): readonly string[] | undefined {
  const ports = frontends().filter(({ address }) => address === undefined || address === destination)
  if (ports.some(({ address, port }) => address !== undefined && !isInDefaultNodePorts(port))) return undefined
  return [...new Set(ports.map(({ port, protocol }) => `${port}/${protocol}`))]
}
