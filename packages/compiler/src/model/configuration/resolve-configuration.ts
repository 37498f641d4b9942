import type { Diagnostic } from '@kube-rules/types'
import { describeValue } from '../reading/diagnostic-collector.js'
import { isAbsent, isObject } from '../reading/read-field.js'
import { CONFIGURATION_REFERENCE, type EffectiveConfiguration } from './effective-configuration.js'
import { type Features, featuresOf } from './features.js'
import { readConfiguration, withDefaults } from './read-configuration.js'
import { selectFieldsOfVersion } from './select-fields-of-version.js'
import { validateConfiguration } from './validate-configuration.js'
import {
  DEFAULT_PROXY_MODE,
  formatVersions,
  isProxyMode,
  isSupportedVersion,
  newestVersionOf,
  parseProxyMode,
  parseVersion,
} from './versions.js'

/** The inputs that determine the behavior of kube-proxy, excluding the objects of the cluster. */
export interface ConfigurationInputs {
  /** A KubeProxyConfiguration, not validated. */
  readonly configuration?: unknown
  /** The kube-proxy version. Default: the newest supported version of the mode. */
  readonly kubernetesVersion?: string | undefined
  /** The mode; overrides `mode` of the configuration. */
  readonly mode?: string | undefined
  /** The features to override; all other features follow the version. Default: none. */
  readonly changedFeatures?: Partial<Features> | undefined
}

/**
 * The complete configuration with its defaults, and the features of the version. Defaults replace absent or invalid
 * values.
 */
export interface ResolvedConfiguration {
  /** A supported version: `1.30`, or `1.18.2` if later patches of its minor version differ. */
  readonly version: string
  readonly features: Features
  readonly configuration: EffectiveConfiguration
  /** The diagnostics. If any diagnostic is an error, no rules may be written. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Resolves the effective configuration and the features of the version. Returns every problem of both. Never throws. */
export function resolveConfiguration(request: ConfigurationInputs): ResolvedConfiguration {
  const newest = newestVersionOf(request.mode ?? modeOf(request.configuration))
  const { kubernetesVersion = newest } = request
  const known = parseVersion(kubernetesVersion)
  const version = known ?? newest
  const fields = selectFieldsOfVersion(request.configuration, version)
  const read = readConfiguration(fields.configuration)
  const written = { ...read.configuration, mode: request.mode ?? read.configuration.mode }
  const ofVersion = featuresOf(parseProxyMode(written.mode), version, read.configuration.featureGates)
  const features = { ...ofVersion, ...request.changedFeatures }
  const configuration = withDefaults(written, features)
  const isApart = !isSupportedVersion(configuration.mode, version)
  const isOtherMode = request.mode !== undefined && !isProxyMode(request.mode)
  return {
    version,
    features,
    configuration,
    diagnostics: [
      ...(known === undefined ? [unknownVersion(kubernetesVersion)] : []),
      ...(isApart ? [apart(configuration.mode, version)] : []),
      ...fields.diagnostics,
      ...read.diagnostics,
      ...validateConfiguration(
        isOtherMode || isApart ? { ...configuration, mode: '' } : configuration,
        features,
        version,
      ),
      ...deprecatedModes(request, written.mode, features),
    ],
  }
}

function modeOf(configuration: unknown): string {
  return isObject(configuration) && typeof configuration.mode === 'string' ? configuration.mode : ''
}

/** Returns the deprecation warnings that kube-proxy logs at startup. Without a configuration, the mode is unknown. */
function deprecatedModes(
  { configuration }: ConfigurationInputs,
  mode: string,
  features: Features,
): readonly Diagnostic[] {
  if (features.modeDeprecated) return [deprecated(`${mode} mode will be removed`)]
  const isUnset = mode === '' && !isAbsent(configuration)
  if (isUnset && features.unsetModeDeprecated) {
    return [deprecated(`no mode is set: the default is ${DEFAULT_PROXY_MODE}, and will be nftables`)]
  }
  return []
}

function deprecated(message: string): Diagnostic {
  return {
    severity: 'info',
    code: 'deprecated',
    object: CONFIGURATION_REFERENCE,
    path: 'mode',
    message,
    expected: 'iptables or nftables',
  }
}

function unknownVersion(version: unknown): Diagnostic {
  return versionError(`${describeValue(version)} is not a supported version of Kubernetes`)
}

/** Returns the error for a mode that the version does not have. */
function apart(mode: string, version: string): Diagnostic {
  return versionError(`kube-rules does not support ${mode} mode of kube-proxy ${version}`)
}

function versionError(message: string): Diagnostic {
  return {
    severity: 'error',
    code: 'invalidConfiguration',
    object: CONFIGURATION_REFERENCE,
    path: 'kubernetesVersion',
    message,
    expected: formatVersions(),
  }
}
