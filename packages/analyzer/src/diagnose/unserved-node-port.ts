import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import { isKubeProxyTable, NODE_PORT_IPS_SET } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { isLoopback, joinHostPort } from '@kube-rules/types/internal/ip'
import { formatList } from '../explain/format-list.js'
import { MISSING_TABLES_CONDITION, preferKnownPaths } from '../program/missing-content.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import type { ServiceName } from './service-alternatives.js'
import { parseOwner } from './service-of-packet.js'

/**
 * Diagnoses a packet to a node port at an address of the node that serves no node ports, because of `nodePortAddresses`
 * or because it is a loopback address.
 */
export function diagnoseUnservedNodePort(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { packet, expected } = facts
  const { destination, destinationPort, protocol } = packet
  if (!preferKnownPaths(facts.paths).every(isUnhandled)) return undefined
  const found = expected === undefined ? findInRules(facts) : findInPlan(facts)
  if (found === undefined || found.served.includes(destination)) return undefined
  const { service, served } = found
  const port = `${destinationPort}/${protocol}`
  const object = service === undefined ? `the node port ${port}` : formatService(service)
  const owner = service === undefined ? '' : ` of ${object}`
  const where = served.length === 0 ? 'at no address of the node' : `at ${formatList(served)}, not at ${destination}`
  return {
    code: 'unservedNodePort',
    summary: prefixWithNode(
      expected?.plan,
      `${formatPackets(packet)} are not handled by kube-proxy: it serves node port ${port}${owner} ${where}`,
    ),
    cause: causeOf(destination, served),
    steps: [...useServedStep(served, facts), ...configurationSteps(destination, served)],
    object,
    rule: port,
    ruleStatus: `a node port that ${destination} does not serve`,
  }
}

function causeOf(destination: string, served: readonly string[]): string {
  if (!isLoopback(destination))
    return 'nodePortAddresses of kube-proxy determine the addresses of the node that serve node ports'
  const cause = 'in this mode or configuration, kube-proxy does not serve node ports at loopback addresses'
  return served.length > 0 ? cause : `${cause}, and nodePortAddresses matches no other address of the node`
}

/** Reports whether no rule handles a packet, even if tables of other programs are missing in the dump. */
function isUnhandled({ outcome, assumptions }: TracePath): boolean {
  return outcome.kind === 'unmatched' && assumptions.every(({ condition }) => condition === MISSING_TABLES_CONDITION)
}

/** The owner of a node port, and the addresses that serve it. */
interface ServedNodePort {
  /** The Service; undefined if unknown. */
  readonly service: ServiceName | undefined
  readonly served: readonly string[]
}

function findInPlan({ packet, expected }: PacketDiagnosisContext): ServedNodePort | undefined {
  if (expected?.decision.kind !== 'unmatched' || !isOwnAddress(packet.destination, expected.plan.node)) return undefined
  const { services, nodePorts, node } = expected.plan
  const owner = services.find(
    ({ id, frontends }) =>
      id.protocol === packet.protocol &&
      frontends.some(({ kind, port }) => kind === 'nodePort' && port === packet.destinationPort),
  )
  if (owner === undefined) return undefined
  const served = nodePorts.all ? node.addresses.map(({ address }) => address) : nodePorts.addresses
  return { service: owner.id, served: served.filter((address) => !isLoopback(address)) }
}

function isOwnAddress(address: string, node: Parameters<typeof isNodeAddress>[0]): boolean {
  return isLoopback(address) || isNodeAddress(node, address)
}

/** Returns the node port of the rules in nftables mode, with the addresses in its set of node addresses. */
function findInRules({ packet, paths, state, frontends }: PacketDiagnosisContext): ServedNodePort | undefined {
  if (paths.some(({ outcome }) => outcome.kind === 'unmatched' && outcome.to !== 'node')) return undefined
  const { destinationPort, protocol } = packet
  const found = frontends().filter(
    ({ address, port, protocol: of }) => address === undefined && port === destinationPort && of === protocol,
  )
  const [first] = found
  const table = state.nftables?.tables.find(isKubeProxyTable)
  const set = table?.sets.find(({ name }) => name === NODE_PORT_IPS_SET)
  if (first === undefined || set === undefined) return undefined
  return {
    service: parseOwner(first.owner),
    served: set.elements.flatMap(({ key }) => [...splitConcatenation(key)]),
  }
}

function useServedStep(
  [address]: readonly string[],
  { packet: { destinationPort: port } }: PacketDiagnosisContext,
): readonly DiagnosisStep[] {
  if (address === undefined) return []
  return [
    {
      text: `Send the packets to ${joinHostPort(address, port)} instead`,
      change: { kind: 'useAddress', address, port },
    },
  ]
}

function configurationSteps(destination: string, served: readonly string[]): readonly DiagnosisStep[] {
  if (isLoopback(destination) && served.length > 0) return []
  const missing = isLoopback(destination)
    ? 'the node has to serve node ports, add a network with an address of the node'
    : `${destination} has to serve node ports, add a network with it`
  return [
    {
      text: `If ${missing} to nodePortAddresses of kube-proxy; with kubectl, in kubeadm clusters`,
      command: 'kubectl -n kube-system edit configmap kube-proxy',
      impact: 'none until kube-proxy restarts; then all node ports are served at the added addresses too',
    },
  ]
}
