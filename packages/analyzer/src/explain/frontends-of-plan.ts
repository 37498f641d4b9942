import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { chooseNodeAddress } from './example-source.js'
import type { TracedFrontend } from './reachability.js'

/**
 * Returns all frontends in the order of the plan. Node ports are at one address that serves them. If there is no such
 * address, node ports are left out.
 */
export function frontendsOfPlan(plan: Plan): readonly TracedFrontend[] {
  const nodeAddress = nodePortAddressOfPlan(plan)
  return plan.services.flatMap(({ id, frontends }) =>
    frontends.flatMap(({ address = nodeAddress, port, kind }) =>
      address === undefined ? [] : [{ owner: formatServicePort(id), protocol: id.protocol, address, port, kind }],
    ),
  )
}

/** Returns an address that serves node ports, preferably the IP of the node; undefined if no address serves them. */
export function nodePortAddressOfPlan({ nodePorts, node }: Plan): string | undefined {
  const own = node.addresses.map(({ address }) => address)
  const serving = nodePorts.all ? own : nodePorts.addresses
  return serving.includes(node.ip) ? chooseNodeAddress([node.ip, ...serving]) : chooseNodeAddress(serving)
}
