export type { EffectiveConfiguration } from '../model/configuration/effective-configuration.js'
export { completeConfiguration } from '../proxy/complete-configuration.js'
export { completeTables } from '../proxy/complete-tables.js'
export { configurationFlags, type FlagKind, readConfigurationFlags, readFlag } from '../proxy/configuration-flags.js'
export { conntrackSettingsOf, type KernelSetting } from '../proxy/conntrack-settings.js'
export {
  joinMissingJumps,
  type PostponedCommands,
  postponeDeletions,
  skipCounterChecks,
} from '../proxy/fewer-processes.js'
export {
  answerHealthCheck,
  type HealthAnswer,
  type HealthCheckServer,
  healthCheckServersOf,
} from '../proxy/health-check-servers.js'
export { type PermanentRule, permanentRulesOf } from '../proxy/permanent-rules.js'
export {
  NONE_TERMINATING,
  parseConnections,
  planGracefulTermination,
  type Terminating,
  type TerminationPlan,
} from '../proxy/plan-graceful-termination.js'
export { createProxyHealth, type HealthReport, type NodeInUse, type ProxyHealth } from '../proxy/proxy-health.js'
export { createSchedule, type Schedule, type ScheduleOptions } from '../proxy/schedule.js'
export { type CountsByTrafficPolicy, countWithoutLocalEndpoints } from '../proxy/services-without-local-endpoints.js'
export { keepUsedFields } from '../proxy/used-fields.js'
export { type WatchedKind, watchedKindsOf } from '../proxy/watched-kinds.js'
export { writeConfiguration } from '../proxy/write-configuration.js'
