import type { Protocol } from '@kube-rules/types'
import type { IpPortEntry, PortEntry } from '../../dataplane/ipset/ast.js'
import { appendAll } from '../../internal/append-all.js'
import { compactList } from '../../internal/compact-list.js'
import { mapList } from '../../internal/map-list.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'
import type { SetEntry, SetName } from './sets.js'

/** Returns the set entries of one service port. */
export function createServiceSetEntries(service: ServicePlan, lowering: LoweringContext): readonly SetEntry[] {
  const entries: SetEntry[] = [...loopBackEntries(service)]
  for (const frontend of service.frontends) {
    appendAll(entries, frontendEntries(service.id.protocol, frontend, lowering))
  }
  if (service.healthCheckNodePort !== undefined) appendAll(entries, healthCheckEntries(service, lowering))
  return compactList(entries)
}

/**
 * Returns the KUBE-LOOP-BACK entries, which masquerade hairpin traffic: one for each endpoint on this node, even if it
 * is not ready.
 */
function loopBackEntries({ id, localEndpoints }: ServicePlan): readonly SetEntry[] {
  return mapList(localEndpoints, ({ ip, port }) => ({
    set: 'KUBE-LOOP-BACK',
    entry: { ...ipPort(id.protocol, ip, port), kind: 'ip,port,ip', secondAddress: ip },
  }))
}

function frontendEntries(protocol: Protocol, frontend: Frontend, lowering: LoweringContext): readonly SetEntry[] {
  const { kind, address = '', port, preservesClientIP } = frontend
  switch (kind) {
    case 'clusterIP':
      return [{ set: 'KUBE-CLUSTER-IP', entry: ipPort(protocol, address, port) }]
    case 'externalIP':
      return [
        {
          set: preservesClientIP ? 'KUBE-EXTERNAL-IP-LOCAL' : 'KUBE-EXTERNAL-IP',
          entry: ipPort(protocol, address, port),
        },
      ]
    case 'loadBalancer':
      return loadBalancerEntries(frontend, ipPort(protocol, address, port))
    case 'nodePort':
      return nodePortEntries(protocol, frontend, lowering)
  }
}

function loadBalancerEntries({ preservesClientIP, allowedSources }: Frontend, entry: IpPortEntry): readonly SetEntry[] {
  const always: readonly SetEntry[] = [
    { set: 'KUBE-LOAD-BALANCER', entry },
    ...(preservesClientIP ? [{ set: 'KUBE-LOAD-BALANCER-LOCAL', entry } as const] : []),
  ]
  if (allowedSources === undefined) return always
  const { ranges, includesThisNode } = allowedSources
  const itself: SetEntry = {
    set: 'KUBE-LOAD-BALANCER-SOURCE-IP',
    entry: { ...entry, kind: 'ip,port,ip', secondAddress: entry.address },
  }
  return [
    ...always,
    ...ranges.map(
      ({ text: network }): SetEntry => ({
        set: 'KUBE-LOAD-BALANCER-SOURCE-CIDR',
        entry: { ...entry, kind: 'ip,port,net', network },
      }),
    ),
    ...(includesThisNode ? [itself] : []),
    // This entry is added last. The permitted sources must exist before this set blocks packets.
    { set: 'KUBE-LOAD-BALANCER-FW', entry },
  ]
}

interface NodePortSets {
  readonly all: SetName
  readonly local: SetName
}

const NODE_PORT_SETS: Readonly<Record<Protocol, NodePortSets>> = {
  TCP: { all: 'KUBE-NODE-PORT-TCP', local: 'KUBE-NODE-PORT-LOCAL-TCP' },
  UDP: { all: 'KUBE-NODE-PORT-UDP', local: 'KUBE-NODE-PORT-LOCAL-UDP' },
  SCTP: { all: 'KUBE-NODE-PORT-SCTP-HASH', local: 'KUBE-NODE-PORT-LOCAL-SCTP-HASH' },
}

function setsOfNodePorts(protocol: Protocol, { features }: LoweringContext): NodePortSets {
  return protocol === 'SCTP' && !features.sctpNodePortsByAddress ? SCTP_BITMAPS : NODE_PORT_SETS[protocol]
}

function nodePortEntries(protocol: Protocol, frontend: Frontend, lowering: LoweringContext): readonly SetEntry[] {
  const { all, local } = setsOfNodePorts(protocol, lowering)
  const entries = nodePortNames(protocol, frontend.port, lowering)
  const sets = frontend.preservesClientIP ? [all, local] : [all]
  return sets.flatMap((set) => mapList(entries, (entry) => ({ set, entry })))
}

/** The sets for SCTP node ports in versions before 1.16. */
const SCTP_BITMAPS: NodePortSets = { all: 'KUBE-NODE-PORT-SCTP', local: 'KUBE-NODE-PORT-LOCAL-SCTP' }

/**
 * Returns the set entries for a node port. In a port bitmap, an entry is the port alone. From 1.16 on, SCTP node ports
 * are not in a bitmap, but in a `hash:ip,port` set with one entry per address.
 */
function nodePortNames(
  protocol: Protocol,
  port: number,
  { nodePortAddresses, features }: LoweringContext,
): readonly (IpPortEntry | PortEntry)[] {
  const isByAddress = protocol === 'SCTP' && features.sctpNodePortsByAddress
  if (isByAddress) return nodePortAddresses.map((address) => ipPort(protocol, address, port))
  return nodePortAddresses.length === 0 && features.servedNodePortsOnly ? [] : [{ kind: 'port', port }]
}

/**
 * Returns the health-check entries. A service port with a node port has no health-check entry if no address of the node
 * serves node ports, like in kube-proxy.
 */
function healthCheckEntries(
  service: ServicePlan,
  { nodePortAddresses, features }: LoweringContext,
): readonly SetEntry[] {
  const port = service.healthCheckNodePort
  const unserved = nodePortAddresses.length === 0 && service.frontends.some(({ kind }) => kind === 'nodePort')
  if (port === undefined || unserved || !features.healthChecksAccepted) return []
  return [{ set: 'KUBE-HEALTH-CHECK-NODE-PORT', entry: { kind: 'port', port } }]
}

function ipPort(protocol: Protocol, address: string, port: number): IpPortEntry {
  return { kind: 'ip,port', address, protocol: protocol.toLowerCase(), port }
}
