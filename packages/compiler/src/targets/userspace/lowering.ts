import { joinHostPort } from '@kube-rules/types'
import type { Verdict } from '../../dataplane/iptables/ast.js'
import type { PlanFrame } from '../../plan/plan.js'

/** What the rules of every service port depend on beside their own plan. */
export interface Lowering {
  /** The address on which the process listens; absent: on all. */
  readonly listenAddress?: string | undefined
  /** The address to which packets made on the node are sent. */
  readonly hostAddress: string
  /** Behind the address of a destination: `/32`, or nothing. */
  readonly destinationSuffix: string
}

export function lowering({ family, kernel, node }: PlanFrame): Lowering {
  const length = family === 'IPv4' ? '/32' : '/128'
  return {
    listenAddress: kernel.process?.listenAddress,
    hostAddress: node.hostAddress ?? '',
    destinationSuffix: kernel.features.destinationsWithLength ? length : '',
  }
}

/** To the process, for packets that come in. */
export function containerVerdict({ listenAddress }: Lowering, port: number): Verdict {
  if (listenAddress === undefined) return { kind: 'redirect', port }
  return { kind: 'dnat', destination: joinHostPort(listenAddress, port) }
}

/** To the process, for packets that the node makes. */
export function hostVerdict({ hostAddress }: Lowering, port: number): Verdict {
  return { kind: 'dnat', destination: joinHostPort(hostAddress, port) }
}
