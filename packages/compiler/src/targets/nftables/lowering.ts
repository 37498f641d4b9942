import type { IpFamily, Protocol } from '@kube-rules/types'
import type { Statement } from '../../dataplane/nftables/ast.js'
import type { TableName } from '../../dataplane/nftables/state.js'
import type { Features } from '../../model/configuration/features.js'
import type { PlanFrame, When } from '../../plan/plan.js'
import { MARK_CHAIN, tableOf } from './fixed-names.js'
import { isLocal, jump, podTrafficMatch } from './statements.js'

/** What the chains and elements of every service port depend on beside their own plan. */
export interface Lowering {
  readonly family: IpFamily
  readonly table: TableName
  readonly features: Features
  /** Asks for masquerading. */
  readonly mark: Statement
  /** The protocols whose node ports loopback addresses refuse. */
  readonly refusedOnLoopback: readonly Protocol[]
  /** The match that each condition of a clause comes to; empty where anyone may come. */
  readonly when: Readonly<Record<When, readonly Statement[]>>
}

export function lowering(frame: PlanFrame): Lowering {
  const { family, kernel } = frame
  const { podTraffic } = frame.node
  const { features } = kernel
  const ofPods = (negated: boolean) =>
    podTraffic ? [podTrafficMatch(podTraffic, family, features.interfacesByName, negated)] : []
  return {
    family,
    table: tableOf(family),
    features,
    mark: features.squashedEndpoints
      ? { kind: 'markSet', operation: 'or', value: kernel.masqueradeMark }
      : jump(MARK_CHAIN),
    refusedOnLoopback: frame.refusedLocalhostNodePorts,
    when: { anyone: [], fromPod: ofPods(false), notFromPod: ofPods(true), fromThisNode: [isLocal('saddr')] },
  }
}
