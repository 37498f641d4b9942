import type { Diagnostic, Endpoints, EndpointSlice, Host, IpFamily, KubeProxyConfiguration, Node, Service } from '@kube-rules/types'
import type { IptablesState } from './dataplane/iptables/ast.js'
import type { ProxyMode } from './model/model.js'
import type { Plan } from './plan/plan.js'

/** The objects of a cluster, as clients hold them. Nothing is mutated, frozen or kept. */
export interface CompileInput {
  readonly services: Iterable<Service>
  readonly endpointSlices?: Iterable<EndpointSlice> | undefined
  /** Used only for Services without EndpointSlice. */
  readonly endpoints?: Iterable<Endpoints> | undefined
  readonly nodes?: Iterable<Node> | undefined
  readonly configuration?: KubeProxyConfiguration | undefined
  readonly host?: Host | undefined
}

export interface CompileOptions {
  /** The node to compile for. Default: `hostnameOverride` of the configuration, else the only Node given. */
  readonly nodeName?: string | undefined
  /** Overrides `mode` of the configuration. */
  readonly mode?: ProxyMode | undefined
  /** The Kubernetes minor version to be faithful to, such as `1.30`. Default: the newest known. */
  readonly kubernetesVersion?: string | undefined
  /** Default: both. */
  readonly families?: readonly IpFamily[] | undefined
  /** Throw on the first compile with an `error` diagnostic instead of leaving the object out. */
  readonly strict?: boolean | undefined
}

export interface CompileResult {
  readonly mode: ProxyMode
  readonly families: readonly FamilyResult[]
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Counts
}

export interface FamilyResult {
  readonly family: IpFamily
  readonly plan: Plan
  readonly state: IptablesState
  readonly healthCheckNodePorts: readonly HealthCheckNodePort[]
}

/** A health-check responder that the node has to run for a Service. */
export interface HealthCheckNodePort {
  readonly namespace: string
  readonly name: string
  readonly port: number
  /** Distinct addresses of ready endpoints on this node, of this family, over all ports of the Service. */
  readonly localEndpoints: number
}

export interface Counts {
  readonly servicePorts: number
  readonly endpoints: number
  readonly chains: number
  readonly rules: number
}
