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
  const { mode, kubernetesVersion } = checkOptions(options) as typeof options
  const resolved = resolveConfiguration({ configuration, mode, kubernetesVersion })
  const errors = resolved.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new DiagnosticsError(errors)
  return resolved.configuration
}
