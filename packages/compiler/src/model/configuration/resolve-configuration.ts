import type { Diagnostic } from '@kube-rules/types'
import { describe } from '../reading/findings.js'
import { isAbsent } from '../reading/read-field.js'
import { CONFIGURATION, type EffectiveConfiguration } from './effective-configuration.js'
import { type Features, featuresOf } from './features.js'
import { readConfiguration, withDefaults } from './read-configuration.js'
import { validateConfiguration } from './validate-configuration.js'
import {
  DEFAULT_PROXY_MODE,
  isKnownIn,
  isProxyMode,
  newestVersionOf,
  parseVersion,
  proxyModeOf,
  versionsText,
} from './versions.js'

/** What decides what kube-proxy does, apart from the cluster. */
export interface ConfigurationRequest {
  /** A KubeProxyConfiguration, of which nothing is taken for granted. */
  readonly configuration?: unknown
  /** Default: the newest known of the mode. */
  readonly kubernetesVersion?: string | undefined
  /** Overrides the `mode` of the configuration. Whether there is such a mode is for others to say, if kube-proxy has none. */
  readonly mode?: string | undefined
}

/** The complete configuration, with defaults for what is absent or wrong, and what the version makes of it. */
export interface ResolvedConfiguration {
  /** A supported minor version, such as `1.30`. */
  readonly version: string
  readonly features: Features
  readonly configuration: EffectiveConfiguration
  /** No rules may be written where one of these is an error. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The effective configuration and what the version does with it, with every problem of both. Never throws. */
export function resolveConfiguration(request: ConfigurationRequest): ResolvedConfiguration {
  const read = readConfiguration(request.configuration)
  const written = { ...read.configuration, mode: request.mode ?? read.configuration.mode }
  const newest = newestVersionOf(written.mode)
  const { kubernetesVersion = newest } = request
  const known = parseVersion(kubernetesVersion)
  const version = known ?? newest
  const features = featuresOf(proxyModeOf(written.mode), version, read.configuration.featureGates)
  const configuration = withDefaults(written, features)
  const isApart = !isKnownIn(configuration.mode, version)
  const isAsked = request.mode !== undefined && !isProxyMode(request.mode)
  return {
    version,
    features,
    configuration,
    diagnostics: [
      ...(known === undefined ? [unknownVersion(kubernetesVersion)] : []),
      ...(isApart ? [apart(configuration.mode, version)] : []),
      ...read.diagnostics,
      ...validateConfiguration(isAsked || isApart ? { ...configuration, mode: '' } : configuration, features, version),
      ...deprecatedModes(request, written.mode, features),
    ],
  }
}

/** What kube-proxy warns of when it starts. Without a configuration nothing is known about its mode. */
function deprecatedModes(
  { configuration }: ConfigurationRequest,
  mode: string,
  features: Features,
): readonly Diagnostic[] {
  if (features.modeDeprecated) return [deprecated(`mode ${mode} is going to be removed`)]
  const isUnset = mode === '' && !isAbsent(configuration)
  if (isUnset && features.unsetModeDeprecated) {
    return [deprecated(`no mode is set: that means ${DEFAULT_PROXY_MODE}, and is going to mean nftables`)]
  }
  return []
}

function deprecated(message: string): Diagnostic {
  return {
    severity: 'info',
    code: 'deprecated',
    object: CONFIGURATION,
    path: 'mode',
    message,
    expected: 'iptables or nftables',
  }
}

function unknownVersion(version: unknown): Diagnostic {
  return {
    severity: 'error',
    code: 'invalidConfiguration',
    object: CONFIGURATION,
    path: 'kubernetesVersion',
    message: `${describe(version)} is not a supported version of Kubernetes`,
    expected: versionsText(),
  }
}

/** A mode and a version that are not known together. */
function apart(mode: string, version: string): Diagnostic {
  return {
    severity: 'error',
    code: 'invalidConfiguration',
    object: CONFIGURATION,
    path: 'kubernetesVersion',
    message: `mode ${mode} of kube-proxy ${version} is not known`,
    expected: versionsText(),
  }
}
