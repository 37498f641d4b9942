import { splitHostPort } from '@kube-rules/compiler/internal/model/configuration/configured-addresses'
import { parseDuration } from '@kube-rules/compiler/internal/model/configuration/duration'
import { withPort } from '@kube-rules/compiler/internal/model/configuration/read-configuration'
import type { KubeProxyConfiguration } from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'

/** The form of the value of a flag. */
export type ConfigurationFlagKind = 'text' | 'number' | 'decimal' | 'boolean' | 'list' | 'gates' | 'levels'

/**
 * The flags of kube-proxy on Linux that set a field of the configuration, each with the kind of its value and the
 * field.
 */
const FLAGS: Readonly<Record<string, readonly [ConfigurationFlagKind, string]>> = {
  'proxy-mode': ['text', 'mode'],
  'cluster-cidr': ['text', 'clusterCIDR'],
  'bind-address': ['text', 'bindAddress'],
  'bind-address-hard-fail': ['boolean', 'bindAddressHardFail'],
  'healthz-bind-address': ['text', 'healthzBindAddress'],
  'metrics-bind-address': ['text', 'metricsBindAddress'],
  'nodeport-addresses': ['list', 'nodePortAddresses'],
  'detect-local-mode': ['text', 'detectLocalMode'],
  'pod-bridge-interface': ['text', 'detectLocal.bridgeInterface'],
  'pod-interface-name-prefix': ['text', 'detectLocal.interfaceNamePrefix'],
  'feature-gates': ['gates', 'featureGates'],
  kubeconfig: ['text', 'clientConnection.kubeconfig'],
  'kube-api-content-type': ['text', 'clientConnection.contentType'],
  'kube-api-qps': ['decimal', 'clientConnection.qps'],
  'kube-api-burst': ['number', 'clientConnection.burst'],
  'config-sync-period': ['text', 'configSyncPeriod'],
  profiling: ['boolean', 'enableProfiling'],
  'show-hidden-metrics-for-version': ['text', 'showHiddenMetricsForVersion'],
  'oom-score-adj': ['number', 'oomScoreAdj'],
  'masquerade-all': ['boolean', 'iptables.masqueradeAll'],
  'iptables-masquerade-bit': ['number', 'iptables.masqueradeBit'],
  'iptables-localhost-nodeports': ['boolean', 'iptables.localhostNodePorts'],
  'iptables-sync-period': ['text', 'iptables.syncPeriod'],
  'iptables-min-sync-period': ['text', 'iptables.minSyncPeriod'],
  'ipvs-scheduler': ['text', 'ipvs.scheduler'],
  'ipvs-exclude-cidrs': ['list', 'ipvs.excludeCIDRs'],
  'ipvs-strict-arp': ['boolean', 'ipvs.strictARP'],
  'ipvs-sync-period': ['text', 'ipvs.syncPeriod'],
  'ipvs-min-sync-period': ['text', 'ipvs.minSyncPeriod'],
  'ipvs-tcp-timeout': ['text', 'ipvs.tcpTimeout'],
  'ipvs-tcpfin-timeout': ['text', 'ipvs.tcpFinTimeout'],
  'ipvs-udp-timeout': ['text', 'ipvs.udpTimeout'],
  'conntrack-max-per-core': ['number', 'conntrack.maxPerCore'],
  'conntrack-min': ['number', 'conntrack.min'],
  'conntrack-tcp-timeout-established': ['text', 'conntrack.tcpEstablishedTimeout'],
  'conntrack-tcp-timeout-close-wait': ['text', 'conntrack.tcpCloseWaitTimeout'],
  'conntrack-tcp-be-liberal': ['boolean', 'conntrack.tcpBeLiberal'],
  'conntrack-udp-timeout': ['text', 'conntrack.udpTimeout'],
  'conntrack-udp-timeout-stream': ['text', 'conntrack.udpStreamTimeout'],
  'hostname-override': ['text', 'hostnameOverride'],
  'logging-format': ['text', 'logging.format'],
  'log-flush-frequency': ['text', 'logging.flushFrequency'],
  v: ['number', 'logging.verbosity'],
  vmodule: ['levels', 'logging.vmodule'],
}

/** The flags that kube-proxy applies on top of a configuration file. The file replaces all other fields. */
export const flagsOverFile: readonly string[] = [
  ...['hostname-override', 'logging-format', 'log-flush-frequency', 'v', 'vmodule'],
]

/** The flags with a period that must not be zero. In a file, zero means the default. */
const POSITIVE_PERIODS = ['iptables-sync-period', 'ipvs-sync-period', 'config-sync-period']

/** The deprecated flags for the port of a server, each with the field for the bind address of the server. */
const PORTS = { 'healthz-port': 'healthzBindAddress', 'metrics-port': 'metricsBindAddress' } as const

/** The kind of value of each kube-proxy flag that sets a field of the configuration, by the name of the flag. */
export const configurationFlags: Readonly<Record<string, ConfigurationFlagKind>> = Object.fromEntries([
  ...Object.entries(FLAGS).map(([name, [kind]]) => [name, kind]),
  ...Object.keys(PORTS).map((name) => [name, 'number']),
])

/**
 * Returns the configuration that flags of kube-proxy set. Names without a field, and undefined values, have no effect. In
 * nftables mode, the flags `--masquerade-all` and `--iptables-…sync-period` set the fields of nftables, too.
 *
 * @throws DiagnosticsError (`invalidArgument`) for a value of another kind.
 *
 * @example
 * ```ts
 * parseConfigurationFlags({ 'proxy-mode': 'nftables', 'conntrack-min': '0' })
 * // => { mode: 'nftables', conntrack: { min: 0 } }
 * ```
 */
export function parseConfigurationFlags(flags: Readonly<Record<string, string | undefined>>): KubeProxyConfiguration {
  const configuration = Object.entries(FLAGS).reduce<KubeProxyConfiguration>((given, [name, [kind, path]]) => {
    const text = flags[name]
    return text === undefined ? given : setField(given, path, parseConfigurationFlag(name, kind, text))
  }, {})
  for (const name of POSITIVE_PERIODS) checkPeriod(name, flags[name])
  const complete = withAddresses(withSettingsOfMode(withPorts(configuration, flags)))
  for (const [name, field] of Object.entries(PORTS)) checkAddress(name.replace('port', 'bind-address'), complete[field])
  return complete
}

function checkPeriod(name: string, text: string | undefined): void {
  if (text !== undefined && parseDuration(text) === 0)
    throw createArgumentError(name, `${text} is not positive`, 'a period greater than 0')
}

function checkAddress(name: string, address: string | undefined | null): void {
  if (address && splitHostPort(address) === undefined)
    throw createArgumentError(name, `"${address}" has no port`, 'an address with a port, such as 0.0.0.0:10256')
}

/** kube-proxy chooses the addresses of its servers before it reads `--bind-address`. In a file, they follow its family. */
function withAddresses(configuration: KubeProxyConfiguration): KubeProxyConfiguration {
  if (configuration.bindAddress === undefined) return configuration
  return { healthzBindAddress: '0.0.0.0:10256', metricsBindAddress: '127.0.0.1:10249', ...configuration }
}

/** In kube-proxy, the same flags set these fields of `iptables` and `nftables`. */
function withSettingsOfMode(configuration: KubeProxyConfiguration): KubeProxyConfiguration {
  const { masqueradeAll, syncPeriod, minSyncPeriod } = configuration.iptables ?? {}
  const shared = Object.entries({ masqueradeAll, syncPeriod, minSyncPeriod }).filter(([, value]) => value !== undefined)
  if (configuration.mode !== 'nftables' || shared.length === 0) return configuration
  return { ...configuration, nftables: Object.fromEntries(shared) }
}

/** The port 0 means that the server is off. Any other port is added to a bind address without a port. */
function withPorts(
  configuration: KubeProxyConfiguration,
  flags: Readonly<Record<string, string | undefined>>,
): KubeProxyConfiguration {
  const fields = Object.entries(PORTS).flatMap(([name, field]) => {
    if (flags[name] === undefined) return []
    const port = Number(parseConfigurationFlag(name, 'number', flags[name]))
    const address = port === 0 ? '' : configuration[field]
    return address === undefined ? [] : [[field, address ? withPort(address, port) : '']]
  })
  return { ...configuration, ...Object.fromEntries(fields) }
}

/**
 * Reads the value of a flag as kube-proxy does: for example, `1`, `T` and `true` are true.
 *
 * @throws DiagnosticsError (`invalidArgument`) for a value of another kind.
 */
export function parseConfigurationFlag(name: string, kind: ConfigurationFlagKind, text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'list') return text.split(',').filter(Boolean)
  if (kind === 'gates') {
    const pairs = text.split(',').map((each) => each.split('='))
    return Object.fromEntries(
      pairs.map(([gate = '', value = '']) => [gate.trim(), parseConfigurationFlag(name, 'boolean', value.trim())]),
    )
  }
  if (kind === 'levels') {
    return text.split(',').map((item) => {
      const [, filePattern = '', verbosity] = /^([^=]*)=(\d+)$/.exec(item.trim()) ?? []
      if (verbosity === undefined) throw createArgumentError(name, `"${item}" is not a level`, 'PATTERN=LEVEL')
      return { filePattern, verbosity: Number(verbosity) }
    })
  }
  if (kind === 'number' && /^-?\d+$/.test(text)) return Number(text)
  if (kind === 'decimal' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (kind === 'boolean' && /^(1|t|T|true|TRUE|True)$/.test(text)) return true
  if (kind === 'boolean' && /^(0|f|F|false|FALSE|False)$/.test(text)) return false
  throw createArgumentError(name, `"${text}" is not a ${kind}`, `a ${kind}`)
}

function setField(configuration: KubeProxyConfiguration, path: string, value: unknown): KubeProxyConfiguration {
  const [group = '', field] = path.split('.')
  const given = configuration as Readonly<Record<string, object | undefined>>
  return { ...given, [group]: field === undefined ? value : { ...given[group], [field]: value } }
}
