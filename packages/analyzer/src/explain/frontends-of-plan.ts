import { servicePortText } from '@kube-rules/compiler/internal/model/services/service-port-text'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { ownAddress } from './own-address.js'
import type { SurveyedFrontend } from './survey.js'

/** Every frontend, in the order of the plan; node ports on one of the addresses that serve them, where there is any. */
export function frontendsOfPlan(plan: Plan): readonly SurveyedFrontend[] {
  const nodeAddress = nodePortAddressOfPlan(plan)
  return plan.services.flatMap(({ id, frontends }) =>
    frontends.flatMap(({ address = nodeAddress, port, kind }) =>
      address === undefined ? [] : [{ owner: servicePortText(id), protocol: id.protocol, address, port, kind }],
    ),
  )
}

/** An address on which node ports are served, the node's own IP if it is one; undefined where there is none. */
export function nodePortAddressOfPlan({ nodePorts, node }: Plan): string | undefined {
  const own = node.addresses.map(({ address }) => address)
  const serving = nodePorts.all ? own : nodePorts.addresses
  return serving.includes(node.ip) ? ownAddress([node.ip, ...serving]) : ownAddress(serving)
}
