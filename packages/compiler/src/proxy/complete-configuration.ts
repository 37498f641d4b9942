import { DiagnosticsError, type KubeProxyConfiguration } from '@kube-rules/types'
import { checkOptions } from '../arguments/check-argument.js'
import type { CompileOptions } from '../compilation/compile-result.js'
import type { EffectiveConfiguration } from '../model/configuration/effective-configuration.js'
import { resolveConfiguration } from '../model/configuration/resolve-configuration.js'

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
  options: Pick<CompileOptions, 'mode' | 'kubernetesVersion'> = {},
): EffectiveConfiguration {
  checkOptions<typeof options>(options, { mode: 'string', kubernetesVersion: 'string' })
  const { mode, kubernetesVersion } = options
  const resolved = resolveConfiguration({ configuration, mode, kubernetesVersion })
  const errors = resolved.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new DiagnosticsError(errors)
  return resolved.configuration
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
 * `kube-proxy --write-config-to` writes it.
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
  const written = Object.entries(fields).map(([name, value]) => {
    if (DURATIONS.includes(name)) return [name, formatDuration(value)]
    if (value instanceof Map) return [name, Object.fromEntries(value)]
    const isPart = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [name, isPart ? writeFields(value) : value]
  })
  return Object.fromEntries(written)
}

/** Formats milliseconds like `Duration.String` of Go. */
function formatDuration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1000) return `${milliseconds}ms`
  const minutes = Math.floor(milliseconds / 60_000)
  const seconds = `${(milliseconds % 60_000) / 1000}s`
  if (minutes === 0) return seconds
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}
