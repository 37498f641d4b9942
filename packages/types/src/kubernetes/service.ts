import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/** The fields of a core/v1 Service that affect rules. Enumerations are plain strings, as clients type them. */
export interface Service extends TypeMeta {
  readonly metadata?: Optional<ObjectMeta>
  readonly spec?: Optional<ServiceSpec>
  readonly status?: Optional<ServiceStatus>
}

export interface ServiceSpec {
  readonly type?: Optional<string>
  readonly clusterIP?: Optional<string>
  readonly clusterIPs?: Optional<readonly string[]>
  readonly ipFamilies?: Optional<readonly string[]>
  readonly ports?: Optional<readonly ServicePortSpec[]>
  readonly externalIPs?: Optional<readonly string[]>
  readonly loadBalancerSourceRanges?: Optional<readonly string[]>
  readonly sessionAffinity?: Optional<string>
  readonly sessionAffinityConfig?: Optional<SessionAffinityConfig>
  readonly externalTrafficPolicy?: Optional<string>
  readonly internalTrafficPolicy?: Optional<string>
  readonly healthCheckNodePort?: Optional<number>
  /** Labels of nodes by which endpoints are selected; only in Kubernetes 1.17 to 1.21. */
  readonly topologyKeys?: Optional<readonly string[]>
}

export interface ServicePortSpec {
  readonly name?: Optional<string>
  readonly protocol?: Optional<string>
  readonly port: number
  readonly nodePort?: Optional<number>
}

export interface SessionAffinityConfig {
  readonly clientIP?: Optional<{ readonly timeoutSeconds?: Optional<number> }>
}

export interface ServiceStatus {
  readonly loadBalancer?: Optional<{ readonly ingress?: Optional<readonly LoadBalancerIngress[]> }>
}

export interface LoadBalancerIngress {
  readonly ip?: Optional<string>
  readonly ipMode?: Optional<string>
  readonly hostname?: Optional<string>
}
