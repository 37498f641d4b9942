import type { CompileOptions } from '@kube-rules/compiler'
import { checkOptions } from '@kube-rules/compiler/internal/arguments/check-argument'
import { parseDuration } from '@kube-rules/compiler/internal/model/configuration/duration'
import type { EffectiveConfiguration } from '@kube-rules/compiler/internal/model/configuration/effective-configuration'
import { resolveConfiguration } from '@kube-rules/compiler/internal/model/configuration/resolve-configuration'
import { DiagnosticsError, type KubeProxyConfiguration } from '@kube-rules/types'

/** Options of `completeConfiguration`. */
export interface CompleteConfigurationOptions extends Pick<CompileOptions, 'mode' | 'kubernetesVersion'> {
  /**
   * Whether the configuration comes from flags. Flags keep a minimum period of zero and an empty address; in a file,
   * both mean the default. Default: false.
   */
  readonly isFromFlags?: boolean | undefined
}

/**
 * Returns a configuration with the defaults of kube-proxy for every missing field, for callers that also need fields
 * without effect on rules, such as `syncPeriod`. Times are milliseconds.
 *
 * @throws DiagnosticsError for a configuration that kube-proxy would reject.
 *
 * @example
 * ```ts
 * completeConfiguration({ iptables: { syncPeriod: '1m' } }).iptables.syncPeriod // => 60000
 * completeConfiguration({}).healthzBindAddress // => '0.0.0.0:10256'
 * ```
 */
export function completeConfiguration(
  configuration: KubeProxyConfiguration,
  options: CompleteConfigurationOptions = {},
): EffectiveConfiguration {
  checkOptions<typeof options>(options, { mode: 'string', kubernetesVersion: 'string', isFromFlags: 'boolean' })
  const { mode, kubernetesVersion, isFromFlags } = options
  const resolved = resolveConfiguration({ configuration, mode, kubernetesVersion })
  const errors = resolved.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new DiagnosticsError(errors)
  return isFromFlags ? keepZeroValues(resolved.configuration, configuration) : resolved.configuration
}

/** Keeps a minimum period of zero (each change causes an update at once) and an empty address (no server). */
function keepZeroValues(complete: EffectiveConfiguration, given: KubeProxyConfiguration): EffectiveConfiguration {
  const isZero = (mode: 'iptables' | 'nftables') => parseDuration(given[mode]?.minSyncPeriod ?? '') === 0
  return {
    ...complete,
    ...(isZero('iptables') && { iptables: { ...complete.iptables, minSyncPeriod: 0 } }),
    ...(isZero('nftables') && { nftables: { ...complete.nftables, minSyncPeriod: 0 } }),
    ...(given.healthzBindAddress === '' && { healthzBindAddress: '' }),
    ...(given.metricsBindAddress === '' && { metricsBindAddress: '' }),
  }
}

/**
 * The names of the configuration fields with durations. A field with one of these names is a duration in every section
 * of the configuration.
 */
const DURATIONS = [
  ...['syncPeriod', 'minSyncPeriod', 'configSyncPeriod', 'udpIdleTimeout', 'flushFrequency'],
  ...['tcpTimeout', 'tcpFinTimeout', 'udpTimeout', 'tcpEstablishedTimeout', 'tcpCloseWaitTimeout', 'udpStreamTimeout'],
]

/**
 * Returns a complete configuration in the format of the file, with durations such as `1h0m0s`, as
 * `kube-proxy --write-config-to` writes it. Empty lists become null, like lists without value in Go. The field
 * `udpIdleTimeout`, which only versions up to 1.25 read, is left out.
 *
 * @example
 * ```ts
 * writeConfiguration(completeConfiguration({})).iptables?.syncPeriod // => '30s'
 * ```
 */
export function writeConfiguration(configuration: EffectiveConfiguration): KubeProxyConfiguration {
  const header = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' }
  return { ...(writeFields(configuration) as KubeProxyConfiguration), ...header }
}

function writeFields(fields: object): object {
  const written = Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'udpIdleTimeout') return []
    return [[name, writeValue(name, value)]]
  })
  return Object.fromEntries(written)
}

function writeValue(name: string, value: unknown): unknown {
  if (DURATIONS.includes(name)) return formatDuration(value as number)
  if (value instanceof Map) return Object.fromEntries(value)
  if (Array.isArray(value)) return value.length === 0 ? null : value
  return typeof value === 'object' && value !== null ? writeFields(value) : value
}

/** Formats milliseconds like `Duration.String` of Go. */
function formatDuration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1000) return `${milliseconds}ms`
  const minutes = Math.floor(milliseconds / 60_000)
  const seconds = `${(milliseconds % 60_000) / 1000}s`
  if (minutes === 0) return seconds
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}
