import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { Target } from '../../dataplane/iptables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'

/** The lowering context: the inputs of the rules of every service port, except the plan of the service port. */
export interface LoweringContext {
  /** The address where the userspace proxy listens; absent for all addresses. */
  readonly listenAddress?: string | undefined
  /** The destination of locally generated packets that are redirected to the userspace proxy. */
  readonly hostAddress: string
  /** The suffix of a destination address: `/32`, or empty. */
  readonly destinationSuffix: string
}

export function createLoweringContext({ family, kernel, node }: PlanHeader): LoweringContext {
  const length = family === 'IPv4' ? '/32' : '/128'
  return {
    listenAddress: kernel.process?.listenAddress,
    hostAddress: node.hostAddress ?? '',
    destinationSuffix: kernel.features.destinationsWithLength ? length : '',
  }
}

/** Returns the target that redirects incoming packets to the userspace proxy. */
export function createContainerPortalTarget({ listenAddress }: LoweringContext, port: number): Target {
  if (listenAddress === undefined) return { kind: 'redirect', port }
  return { kind: 'dnat', destination: joinHostPort(listenAddress, port) }
}

/** Returns the target that redirects locally generated packets to the userspace proxy. */
export function createHostPortalTarget({ hostAddress }: LoweringContext, port: number): Target {
  return { kind: 'dnat', destination: joinHostPort(hostAddress, port) }
}
