import type { Plan } from '@kube-rules/compiler/plan'

/** The numbers of service ports with the policy Local and no endpoint on the node, by traffic policy. */
export interface CountsByTrafficPolicy {
  /** The number of service ports with `internalTrafficPolicy: Local`. */
  readonly internal: number
  /** The number of service ports with `externalTrafficPolicy: Local`. */
  readonly external: number
}

/**
 * Counts the service ports of a plan with a policy Local and no endpoint on the node, for the metric
 * `kubeproxy_sync_proxy_rules_no_local_endpoints_total`.
 */
export function countServicesWithoutLocalEndpoints({ services }: Plan): CountsByTrafficPolicy {
  const lacking = services
    .filter(({ pools }) => pools.local.length === 0)
    .map(({ frontends }) =>
      frontends.filter(({ clauses }) => clauses.some(({ reason }) => reason === 'noLocalEndpoints')),
    )
  return {
    internal: lacking.filter((frontends) => frontends.some(({ kind }) => kind === 'clusterIP')).length,
    external: lacking.filter((frontends) => frontends.some(({ kind }) => kind !== 'clusterIP')).length,
  }
}
