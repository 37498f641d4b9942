import type { Diagnostic } from '@kube-rules/types'
import type { EffectiveConfiguration } from './effective-configuration.js'
import { type Features, previousVersion } from './features.js'
import {
  checkBindAddress,
  checkClusterCidr,
  checkHostPort,
  checkNodePortAddresses,
  checkPortRange,
} from './validate-addresses.js'
import { checkDetectLocal, checkDetectLocalMode } from './validate-detect-local.js'
import { checkFeatureGates } from './validate-feature-gates.js'
import { checkLogging } from './validate-logging.js'
import { checkConntrack, checkMode, checkModeSections } from './validate-proxy-modes.js'
import { checkPositiveDuration, diagnosticOf, invalidText, type Violation } from './violation.js'

const API_VERSION = 'kubeproxy.config.k8s.io/v1alpha1'
const KIND = 'KubeProxyConfiguration'

/**
 * Every violation of the rules kube-proxy checks before it starts, each an error of code `invalidConfiguration`, in
 * upstream's order; `path` is the place in the file, the message is upstream's. Mirrors `Validate` of
 * `pkg/proxy/apis/config/validation` (v1.30) for Linux. Stricter than that where a value would reach the text of a
 * rule: names of interfaces and of ipvs schedulers must be plain.
 */
export function validateConfiguration(
  configuration: EffectiveConfiguration,
  features: Features,
  version: string,
): readonly Diagnostic[] {
  const { healthzBindAddress, metricsBindAddress } = configuration
  const violations: readonly Violation[] = [
    ...checkApiVersion(configuration),
    ...checkFeatureGates(configuration.featureGates, version),
    ...checkModeSections(configuration),
    ...checkConntrack(configuration.conntrack),
    ...checkMode(configuration.mode, features),
    ...checkProcess(configuration),
    ...checkBindAddress(configuration.bindAddress),
    ...checkHostPort({ path: 'healthzBindAddress', field: 'HealthzBindAddress' }, healthzBindAddress),
    ...checkHostPort({ path: 'metricsBindAddress', field: 'MetricsBindAddress' }, metricsBindAddress),
    ...checkClusterCidr(configuration.clusterCIDR),
    ...checkPortRange(configuration.portRange),
    ...checkNodePortAddresses(configuration.nodePortAddresses, features),
    ...checkHiddenMetrics(configuration.showHiddenMetricsForVersion, previousVersion(version)),
    ...checkDetectLocalMode(configuration.detectLocalMode),
    ...checkDetectLocal(configuration),
    ...checkLogging(configuration.logging),
  ]
  return violations.map(diagnosticOf)
}

/** What has no type is taken for what it should be; another type would not have been decoded. */
function checkApiVersion({ apiVersion, kind }: EffectiveConfiguration): readonly Violation[] {
  const version = { path: 'apiVersion', field: 'apiVersion' }
  return [
    ...(apiVersion === '' || apiVersion === API_VERSION
      ? []
      : invalidText(version, apiVersion, `must be ${API_VERSION}`)),
    ...(kind === '' || kind === KIND ? [] : invalidText({ path: 'kind', field: 'kind' }, kind, `must be ${KIND}`)),
  ]
}

function checkProcess({
  clientConnection,
  oomScoreAdj,
  configSyncPeriod,
}: EffectiveConfiguration): readonly Violation[] {
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
    ...checkPositiveDuration({ path: 'configSyncPeriod', field: 'ConfigSyncPeriod' }, configSyncPeriod),
  ]
}

function checkHiddenMetrics(version: string, previous: string): readonly Violation[] {
  if (version === '' || version === previous) return []
  const place = { path: 'showHiddenMetricsForVersion', field: 'ShowHiddenMetricsForVersion' }
  const problem = `must be omitted or have the value '${previous}'. Only the previous minor version is allowed`
  return invalidText(place, version, `--show-hidden-metrics-for-version ${problem}`)
}
