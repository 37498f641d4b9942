import type { Diagnostic } from '@kube-rules/types'
import { checkDetectLocal, checkDetectLocalMode } from './detect-local.js'
import type {
  EffectiveConfiguration,
  EffectiveLoggingConfiguration,
  EffectiveVmoduleItem,
} from './effective-configuration.js'
import type { Features } from './features.js'
import { listValidProxyModes } from './proxy-modes.js'
import {
  checkBindAddress,
  checkClusterCidr,
  checkHostPort,
  checkNodePortAddresses,
  checkPortRange,
} from './validate-addresses.js'
import { checkFeatureGates } from './validate-feature-gates.js'
import { checkConntrack, checkModeSections, checkProxyMode } from './validate-proxy-modes.js'
import { previousVersionOf } from './versions.js'
import {
  checkPositiveDuration,
  createViolations,
  type FieldPath,
  type Violation,
  violationToDiagnostic,
} from './violation.js'

const API_VERSION = 'kubeproxy.config.k8s.io/v1alpha1'
const KIND = 'KubeProxyConfiguration'

/**
 * Validates the configuration with the checks that kube-proxy runs before it starts. Each violation is an error with
 * the code `invalidConfiguration`. The errors have the order and the messages of upstream; `path` is the path in the
 * file. Mirrors `Validate` of `pkg/proxy/apis/config/validation` (v1.30) for Linux.
 *
 * Unlike upstream, this function rejects names of interfaces and of IPVS schedulers that contain special characters,
 * because these names become part of rules.
 */
export function validateConfiguration(
  configuration: EffectiveConfiguration,
  features: Features,
  version: string,
): readonly Diagnostic[] {
  const { healthzBindAddress, metricsBindAddress } = configuration
  const violations: readonly Violation[] = [
    ...checkApiVersion(configuration),
    ...checkFeatureGates(configuration.featureGates, version, features),
    ...checkModeSections(configuration, features),
    ...checkConntrack(configuration.conntrack),
    ...checkProxyMode(configuration.mode, listValidProxyModes(version, configuration.featureGates), features),
    ...checkProcessSettings(configuration, features),
    ...checkBindAddress(configuration.bindAddress),
    ...checkHostPort({ path: 'healthzBindAddress', field: 'HealthzBindAddress' }, healthzBindAddress),
    ...checkHostPort({ path: 'metricsBindAddress', field: 'MetricsBindAddress' }, metricsBindAddress),
    ...checkClusterCidr(configuration.clusterCIDR, features),
    ...checkPortRange(configuration.portRange),
    ...checkNodePortAddresses(configuration.nodePortAddresses, features),
    ...checkHiddenMetrics(configuration.showHiddenMetricsForVersion, previousVersionOf(version)),
    ...checkDetectLocalMode(configuration.detectLocalMode, features),
    ...(features.detectLocalByInterface ? checkDetectLocal(configuration) : []),
    ...checkLogging(configuration.logging),
  ]
  return violations.map(violationToDiagnostic)
}

/**
 * Checks `apiVersion` and `kind`. Missing values are accepted. Wrong values are errors, because kube-proxy cannot
 * decode such a file.
 */
function checkApiVersion({ apiVersion, kind }: EffectiveConfiguration): readonly Violation[] {
  const version = { path: 'apiVersion', field: 'apiVersion' }
  return [
    ...(apiVersion === '' || apiVersion === API_VERSION
      ? []
      : createViolations(version, apiVersion, `must be ${API_VERSION}`)),
    ...(kind === '' || kind === KIND ? [] : createViolations({ path: 'kind', field: 'kind' }, kind, `must be ${KIND}`)),
  ]
}

/** Checks the settings that affect the kube-proxy process but no rules. */
function checkProcessSettings(
  { clientConnection, oomScoreAdj, udpIdleTimeout, configSyncPeriod }: EffectiveConfiguration,
  features: Features,
): readonly Violation[] {
  const burst = {
    path: 'clientConnection.burst',
    field: 'ClientConnection.Burst',
    value: String(clientConnection.burst),
  }
  const oom = { path: 'oomScoreAdj', field: 'OOMScoreAdj', value: String(oomScoreAdj) }
  const outside = oomScoreAdj < -1000 || oomScoreAdj > 1000
  return [
    ...(clientConnection.burst < 0 ? [{ ...burst, problem: 'must be non-negative' }] : []),
    ...(outside ? [{ ...oom, problem: 'must be within the range [-1000, 1000]' }] : []),
    ...(features.udpIdleTimeout
      ? checkPositiveDuration({ path: 'udpIdleTimeout', field: 'UDPIdleTimeout' }, udpIdleTimeout)
      : []),
    ...checkPositiveDuration({ path: 'configSyncPeriod', field: 'ConfigSyncPeriod' }, configSyncPeriod),
  ]
}

function checkHiddenMetrics(version: string, previous: string): readonly Violation[] {
  if (version === '' || version === previous) return []
  const place = { path: 'showHiddenMetricsForVersion', field: 'ShowHiddenMetricsForVersion' }
  const problem = `must be omitted or have the value '${previous}'. Only the previous minor version is allowed`
  return createViolations(place, version, `--show-hidden-metrics-for-version ${problem}`)
}

const HIGHEST_VERBOSITY = 2 ** 31 - 1

/**
 * Checks the logging section. Mirrors `Validate` of `component-base/logs/api/v1`, excluding the alpha options of each
 * format.
 */
function checkLogging({ format, verbosity, vmodule }: EffectiveLoggingConfiguration): readonly Violation[] {
  return [
    ...(format === 'text' || format === 'json' ? [] : createViolations(at('format'), format, 'Unsupported log format')),
    ...checkVerbosity(at('verbosity'), verbosity),
    ...(format !== 'text' && vmodule.length > 0
      ? [{ ...at('vmodule'), value: `${vmodule.length} entries`, problem: 'Only supported for text log format' }]
      : []),
    ...vmodule.flatMap(checkVmodule),
  ]
}

function checkVmodule({ filePattern, verbosity }: EffectiveVmoduleItem, index: number): readonly Violation[] {
  const place = at(`vmodule[${index}].filePattern`)
  return [
    ...(filePattern === '' ? createViolations(place, filePattern, 'File pattern must not be empty') : []),
    ...(/[=,]/.test(filePattern)
      ? createViolations(place, filePattern, 'File pattern must not contain equal sign or comma')
      : []),
    ...checkVerbosity(at(`vmodule[${index}].verbosity`), verbosity),
  ]
}

function checkVerbosity(place: FieldPath, verbosity: number): readonly Violation[] {
  if (Number.isInteger(verbosity) && verbosity >= 0 && verbosity <= HIGHEST_VERBOSITY) return []
  return [{ ...place, value: String(verbosity), problem: `Must be <= ${HIGHEST_VERBOSITY}` }]
}

function at(path: string): FieldPath {
  return { path: `logging.${path}`, field: `logging.${path}` }
}
