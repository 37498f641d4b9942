import type { Diagnostic } from '@kube-rules/types'
import { checkDetectLocal, checkDetectLocalMode } from './detect-local.js'
import type { EffectiveConfiguration } from './effective-configuration.js'
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
import { checkHiddenMetrics, checkLogging, checkProcessSettings } from './validate-process.js'
import { checkConntrack, checkModeSections, checkProxyMode } from './validate-proxy-modes.js'
import { previousVersionOf } from './versions.js'
import { createViolations, type Violation, violationToDiagnostic } from './violation.js'

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
