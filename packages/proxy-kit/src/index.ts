export type { EffectiveConfiguration } from '@kube-rules/compiler/internal/model/configuration/effective-configuration'
export {
  type CompleteConfigurationOptions,
  completeConfiguration,
  writeConfiguration,
} from './configuration/complete-configuration.js'
export {
  type ConfigurationFlagKind,
  configurationFlags,
  flagsOverFile,
  parseConfigurationFlag,
  parseConfigurationFlags,
} from './configuration/configuration-flags.js'
export { type ProcessBehavior, processBehaviorOf } from './configuration/process-behavior.js'
export { formatHealthBody, type HealthBodyOptions } from './health/health-body.js'
export {
  createHealthCheckResponse,
  type HealthCheckResponse,
  type HealthCheckServer,
  healthCheckServersOf,
} from './health/health-check-servers.js'
export {
  createProxyHealth,
  type HealthStatus,
  type NodeEligibilityFields,
  type ProxyHealth,
  type ProxyHealthOptions,
} from './health/proxy-health.js'
export {
  type CountsByTrafficPolicy,
  countServicesWithoutLocalEndpoints,
} from './health/services-without-local-endpoints.js'
export {
  formatFlagPage,
  formatStatusPage,
  HEALTHCHECK_METRICS,
  type StatusPageFacts,
} from './health/status-pages.js'
export { addEmptyTables } from './node/add-empty-tables.js'
export { type ConntrackSysctl, conntrackSysctlsOf } from './node/conntrack-sysctls.js'
export { type NetworkBytes, parseNetworkBytes } from './node/network-bytes.js'
export { createListReader, type ListMetadata, type ListReader } from './objects/list-reader.js'
export { keepUsedFields, type WatchedKind, watchedKindsOf } from './objects/watched-kinds.js'
export {
  batchMissingJumps,
  type PostponedCommands,
  postponeDeletions,
  skipCounterChecks,
} from './updates/fewer-processes.js'
export { createPermanentRuleChecks, type PermanentRuleCheck } from './updates/permanent-rule-checks.js'
export {
  NO_TERMINATING_SERVERS,
  parseIpvsConnections,
  planGracefulTermination,
  type TerminatingServers,
  type TerminationPlan,
} from './updates/plan-graceful-termination.js'
export { createUpdateScheduler, type UpdateScheduler, type UpdateSchedulerOptions } from './updates/update-scheduler.js'
