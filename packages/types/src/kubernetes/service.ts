import type { ObjectMeta, Optional, TypeMeta } from './object-meta.js'

/**
 * A core/v1 Service as manifests have it. Enumerations are plain strings, like in the types of Kubernetes clients.
 */
export interface Service extends TypeMeta {
  /** Names, labels and annotations. */
  readonly metadata?: Optional<ObjectMeta>
  /** The specification. */
  readonly spec?: Optional<ServiceSpec>
  /** The addresses of the load balancer. */
  readonly status?: Optional<ServiceStatus>
}

/** The specification of a Service. */
export interface ServiceSpec {
  /** The type of the Service. Default: `ClusterIP`. */
  readonly type?: Optional<string>
  /** The first cluster IP; `None` for a headless Service. */
  readonly clusterIP?: Optional<string>
  /** The cluster IPs, at most one for each family. */
  readonly clusterIPs?: Optional<readonly string[]>
  /** The address families. */
  readonly ipFamilies?: Optional<readonly string[]>
  /** The ports. */
  readonly ports?: Optional<readonly ServicePortSpec[]>
  /** The external IPs. */
  readonly externalIPs?: Optional<readonly string[]>
  /** The networks of clients that may use load-balancer IPs. */
  readonly loadBalancerSourceRanges?: Optional<readonly string[]>
  /** `None` (default) or `ClientIP`. */
  readonly sessionAffinity?: Optional<string>
  /** The settings of session affinity. */
  readonly sessionAffinityConfig?: Optional<SessionAffinityConfig>
  /** `Cluster` (default) or `Local`, for external traffic. */
  readonly externalTrafficPolicy?: Optional<string>
  /** `Cluster` (default) or `Local`, for traffic to cluster IPs. */
  readonly internalTrafficPolicy?: Optional<string>
  /** The health-check node port; absent or 0 if there is none. */
  readonly healthCheckNodePort?: Optional<number>
  /** Labels of nodes for the selection of endpoints; only in Kubernetes 1.17 to 1.21. */
  readonly topologyKeys?: Optional<readonly string[]>
  /** The labels of the pods. It affects the EndpointSlices, not the rules. */
  readonly selector?: Optional<Readonly<Record<string, string>>>
  /** Whether endpoints that are not ready count as ready. It affects the EndpointSlices, not the rules. */
  readonly publishNotReadyAddresses?: Optional<boolean>
  /** The preference for near endpoints. It affects the hints of the EndpointSlices, not the rules. */
  readonly trafficDistribution?: Optional<string>
  /** `SingleStack`, `PreferDualStack` or `RequireDualStack`. It affects the cluster IPs, not the rules. */
  readonly ipFamilyPolicy?: Optional<string>
  /** The name to which the Service of the type `ExternalName` refers. Such a Service has no rules. */
  readonly externalName?: Optional<string>
  /** The load-balancer IP that is wanted. The rules are those of `status.loadBalancer`. */
  readonly loadBalancerIP?: Optional<string>
  /** The implementation of the load balancer. It does not affect rules. */
  readonly loadBalancerClass?: Optional<string>
  /** Whether a load balancer needs node ports. It affects `ports[].nodePort`, not the rules. */
  readonly allocateLoadBalancerNodePorts?: Optional<boolean>
}

/** A port of a Service. */
export interface ServicePortSpec {
  /** The name; may be empty if there is only one port. */
  readonly name?: Optional<string>
  /** The protocol. Default: TCP. */
  readonly protocol?: Optional<string>
  /** The port of the frontends. */
  readonly port: number
  /** The node port; absent or 0 if there is none. */
  readonly nodePort?: Optional<number>
  /** The number or name of the port of the pods. It affects the EndpointSlices, not the rules. */
  readonly targetPort?: Optional<number | string>
  /** The protocol of the application, such as `http`. It does not affect rules. */
  readonly appProtocol?: Optional<string>
}

/** The settings of session affinity. */
export interface SessionAffinityConfig {
  /** The timeout of affinity entries. */
  readonly clientIP?: Optional<{ readonly timeoutSeconds?: Optional<number> }>
}

/** The status of a Service. */
export interface ServiceStatus {
  /** The addresses of the load balancer. */
  readonly loadBalancer?: Optional<{ readonly ingress?: Optional<readonly LoadBalancerIngress[]> }>
}

/** An address of a load balancer. */
export interface LoadBalancerIngress {
  /** The address. */
  readonly ip?: Optional<string>
  /** Whether kube-proxy handles the address: `VIP` (default) or `Proxy`. */
  readonly ipMode?: Optional<string>
  /** The name of the load balancer; without effect on rules. */
  readonly hostname?: Optional<string>
}
