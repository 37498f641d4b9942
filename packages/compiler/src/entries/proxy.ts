export type { EffectiveConfiguration } from '../model/configuration/effective-configuration.js'
export { addEmptyTables } from '../proxy/add-empty-tables.js'
export {
  type CompleteConfigurationOptions,
  completeConfiguration,
  writeConfiguration,
} from '../proxy/complete-configuration.js'
export {
  type ConfigurationFlagKind,
  configurationFlags,
  flagsOverFile,
  parseConfigurationFlag,
  parseConfigurationFlags,
} from '../proxy/configuration-flags.js'
export { type ConntrackSysctl, conntrackSysctlsOf } from '../proxy/conntrack-sysctls.js'
export {
  batchMissingJumps,
  type PostponedCommands,
  postponeDeletions,
  skipCounterChecks,
} from '../proxy/fewer-processes.js'
export { formatHealthBody, type HealthBodyOptions } from '../proxy/health-body.js'
export {
  createHealthCheckResponse,
  type HealthCheckResponse,
  type HealthCheckServer,
  healthCheckServersOf,
} from '../proxy/health-check-servers.js'
export { createPermanentRuleChecks, type PermanentRuleCheck } from '../proxy/permanent-rule-checks.js'
export {
  NO_TERMINATING_SERVERS,
  parseIpvsConnections,
  planGracefulTermination,
  type TerminatingServers,
  type TerminationPlan,
} from '../proxy/plan-graceful-termination.js'
export { type ProcessBehavior, processBehaviorOf } from '../proxy/process-behavior.js'
export {
  createProxyHealth,
  type HealthStatus,
  type NodeEligibilityFields,
  type ProxyHealth,
  type ProxyHealthOptions,
} from '../proxy/proxy-health.js'
export {
  type CountsByTrafficPolicy,
  countServicesWithoutLocalEndpoints,
} from '../proxy/services-without-local-endpoints.js'
export { createUpdateScheduler, type UpdateScheduler, type UpdateSchedulerOptions } from '../proxy/update-scheduler.js'
export { keepUsedFields, type WatchedKind, watchedKindsOf } from '../proxy/watched-kinds.js'
