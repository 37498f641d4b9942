import type { IpFamily } from '@kube-rules/types'
import { isLinkLocal, isLoopback } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import { FLAG_SCHED_2 } from '../../dataplane/ipvs/ast.js'
import type { Features } from '../../model/configuration/features.js'
import type { NodeInterfaceAddress } from '../../model/node/interface-addresses.js'
import type { PlanHeader, ServicePlan } from '../../plan/plan.js'
import { schedulerOf } from './scheduler.js'

/**
 * The lowering context: the inputs of the virtual servers and set entries of every service port, except the plan of the
 * service port.
 */
export interface LoweringContext {
  readonly family: IpFamily
  readonly features: Features
  readonly scheduler: string
  /** The `FLAG_…` bits of every virtual server. */
  readonly flags: number
  /** The addresses where node ports have virtual servers. */
  readonly nodePortAddresses: readonly string[]
  /** Whether the plan serves node ports at addresses that have no virtual servers for them. */
  readonly losesNodePortAddress: boolean
  /** The addresses that the node already has. These addresses are not bound to `kube-ipvs0`. */
  readonly ownAddresses: readonly string[]
}

export function createLoweringContext(header: PlanHeader): LoweringContext {
  const { features } = header.kernel
  const scheduler = schedulerOf(header.kernel)
  return {
    family: header.family,
    features,
    scheduler,
    // With Maglev hashing (`mh`), FLAG_SCHED_2 also hashes the port of the client.
    flags: scheduler === 'mh' && features.maglevHashesPort ? FLAG_SCHED_2 : 0,
    nodePortAddresses: nodePortAddressesOf(header),
    losesNodePortAddress: lacksNodePortAddress(header),
    ownAddresses: nonServiceAddressesOf(header),
  }
}

/**
 * Returns the addresses of the node, excluding Service addresses. Mirrors `GetAllLocalAddressesExcept` of kube-proxy
 * v1.30.
 */
export function nonServiceAddressesOf({ node }: PlanHeader): readonly string[] {
  return node.addresses.filter((each) => isOwn(each) && !isLoopback(each.address)).map(({ address }) => address)
}

/**
 * Returns the addresses where each node port has a virtual server. They include loopback addresses only in old
 * versions.
 */
export function nodePortAddressesOf({ node, nodePorts, kernel }: PlanHeader): readonly string[] {
  const { all, addresses } = nodePorts
  const used = all ? node.addresses.filter(isOwn).map(({ address }) => address) : addresses
  return used.filter((address) => kernel.features.nodePortsOnLoopback || !isLoopback(address))
}

/** Reports whether the plan serves node ports at an address without virtual servers for them. */
function lacksNodePortAddress(header: PlanHeader): boolean {
  const { all, addresses } = header.nodePorts
  const { nodePortsOnLoopback } = header.kernel.features
  if (header.localhostNodePorts && !nodePortsOnLoopback && (all || addresses.some(isLoopback))) return true
  const reachable = header.node.addresses.filter(({ address }) => !isLoopback(address))
  return all && nonServiceAddressesOf(header).length < reachable.length
}

function isOwn({ interface: device, address }: NodeInterfaceAddress): boolean {
  return device !== IPVS_DEVICE && !(address.includes(':') && isLinkLocal(address))
}

/** The part of the lowering context that one service port depends on. */
interface PortLoweringContext extends Pick<LoweringContext, 'family' | 'features' | 'scheduler' | 'flags'> {
  /** The external addresses of the service port that are addresses of the node. */
  readonly ownAddresses: readonly string[]
  /** The addresses that serve node ports; undefined for service ports without a node port. */
  readonly nodePorts: Pick<LoweringContext, 'nodePortAddresses' | 'losesNodePortAddress'> | undefined
}

/**
 * Returns the relevant part of the lowering context: the addresses that serve node ports, and the external addresses
 * that are not bound.
 */
export function portLoweringContextOf({ frontends }: ServicePlan, lowering: LoweringContext): PortLoweringContext {
  const { family, features, scheduler, flags, nodePortAddresses, losesNodePortAddress } = lowering
  const own: string[] = []
  let hasNodePort = false
  for (const { kind, address } of frontends) {
    if (kind === 'nodePort') hasNodePort = true
    else if (kind !== 'clusterIP' && address !== undefined && lowering.ownAddresses.includes(address)) own.push(address)
  }
  const nodePorts = hasNodePort ? { nodePortAddresses, losesNodePortAddress } : undefined
  return { family, features, scheduler, flags, ownAddresses: own, nodePorts }
}
