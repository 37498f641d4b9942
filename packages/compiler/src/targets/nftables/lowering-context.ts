import type { IpFamily, Protocol } from '@kube-rules/types'
import type { Statement } from '../../dataplane/nftables/ast.js'
import type { TableKey } from '../../dataplane/nftables/state.js'
import type { Features } from '../../model/configuration/features.js'
import type { PlanHeader, TrafficSource } from '../../plan/plan.js'
import {
  createJumpStatement,
  createLocalAddressMatch,
  createLocalTrafficDetectionMatch,
  createMatch,
  createSourceAddressSelector,
  createValueOperand,
  FAMILY_KEYWORDS,
} from './statements.js'
import { MARK_CHAIN, tableKeyOfFamily } from './static-names.js'

/**
 * The lowering context: the inputs of the chains and elements of every service port, except the plan of the service
 * port.
 */
export interface LoweringContext {
  readonly family: IpFamily
  readonly table: TableKey
  readonly features: Features
  /** The statement that marks a packet for masquerading. */
  readonly mark: Statement
  /** The protocols of the node ports that are rejected on loopback addresses. */
  readonly rejectedOnLoopback: readonly Protocol[]
  /** The matches that select the packets of each traffic source; an empty list matches all packets. */
  readonly matchesBySource: Readonly<Record<TrafficSource, readonly Statement[]>>
}

export function createLoweringContext(header: PlanHeader): LoweringContext {
  const { family, kernel } = header
  const { localTrafficDetection } = header.node
  const { features } = kernel
  const ofPods = (negated: boolean) =>
    localTrafficDetection
      ? [createLocalTrafficDetectionMatch(localTrafficDetection, family, features.interfacesByName, negated)]
      : []
  return {
    family,
    table: tableKeyOfFamily(family),
    features,
    mark: features.squashedEndpoints
      ? { kind: 'markSet', operation: 'or', value: kernel.masqueradeMark }
      : createJumpStatement(MARK_CHAIN),
    rejectedOnLoopback: header.rejectedLocalhostNodePorts,
    matchesBySource: {
      anyone: [],
      fromPod: ofPods(false),
      notFromPod: ofPods(true),
      fromThisNode: [createLocalAddressMatch('saddr')],
      fromLoopback: [
        createMatch([createSourceAddressSelector(family)], createValueOperand(FAMILY_KEYWORDS[family].loopback)),
      ],
    },
  }
}
