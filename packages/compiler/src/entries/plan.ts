export type { Counts } from '../compilation/compile-result.js'
export type { FeatureName, Features } from '../model/configuration/features.js'
export type { IpvsSettings, PortRange, ProcessSettings } from '../model/configuration/settings.js'
export type { Endpoint, EndpointHints } from '../model/endpoints/endpoint.js'
export type { NodeInterfaceAddress } from '../model/node/interface-addresses.js'
export type { LocalTrafficDetection } from '../model/node/local-traffic-detection.js'
export type { NodeFacts } from '../model/node/node-facts.js'
export type { NodePortAddresses } from '../model/node/node-port-addresses.js'
export type { HealthCheckNodePort } from '../model/services/health-checks.js'
export type { ServicePortId } from '../model/services/service-port.js'
export { type Candidate, type Decision, type DecisionReason, decide, type FrontendDecision } from '../plan/decide.js'
export type { KernelSettings } from '../plan/kernel-settings.js'
export type {
  AllowedSources,
  Clause,
  ClauseAction,
  ClauseReason,
  Frontend,
  FrontendKind,
  MasqueradePolicy,
  NodePortBinding,
  Plan,
  PlanHeader,
  PoolName,
  Pools,
  Route,
  ServicePlan,
  TrafficSource,
} from '../plan/plan.js'
export type {
  StaleAddress,
  StaleAddressAndEndpoint,
  StaleConnection,
  StaleConnectionFields,
  StaleNodePort,
  StaleNodePortAndEndpoint,
} from '../plan/stale-connection.js'
export { staleConnections } from '../plan/stale-connections.js'
export type { HostRequirements, KernelRange, Sysctl, Timeouts } from '../targets/mode-lowering.js'
export type {
  IgnoredByUserspaceProxy,
  UserspaceProxyPlan,
  UserspaceProxyPort,
  UserspaceServicePlan,
} from '../targets/userspace/planning/proxied.js'
