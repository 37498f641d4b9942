import type { Plan } from '../plan/plan.js'
import { ownAddress } from './own-address.js'
import type { SurveyedFrontend } from './survey.js'

/** Every frontend, in the order of the plan; node ports on one of the addresses that serve them, where there is any. */
export function frontendsOfPlan(plan: Plan): readonly SurveyedFrontend[] {
  const nodeAddress = nodePortAddress(plan)
  return plan.services.flatMap(({ id, frontends }) =>
    frontends.flatMap(({ address = nodeAddress, port }) =>
      address === undefined ? [] : [{ owner: id.text, protocol: id.protocol, address, port }],
    ),
  )
}

function nodePortAddress({ nodePorts, node }: Plan): string | undefined {
  if (!nodePorts.all) return nodePorts.addresses[0]
  return ownAddress(node.addresses.map(({ address }) => address))
}
