import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { compile, type KubeProxyConfiguration, modeNames, type ProxyMode } from '@kube-rules/compiler'
import { load } from 'js-yaml'
import { parseDuration } from './duration.js'

type Kind = 'text' | 'number' | 'boolean' | 'list' | 'gates'

/** The flags of kube-proxy that set a field of the configuration. */
const FIELDS: Readonly<Record<string, readonly [Kind, string]>> = {
  'proxy-mode': ['text', 'mode'],
  'cluster-cidr': ['text', 'clusterCIDR'],
  'bind-address': ['text', 'bindAddress'],
  'healthz-bind-address': ['text', 'healthzBindAddress'],
  'metrics-bind-address': ['text', 'metricsBindAddress'],
  'nodeport-addresses': ['list', 'nodePortAddresses'],
  'detect-local-mode': ['text', 'detectLocalMode'],
  'pod-bridge-interface': ['text', 'detectLocal.bridgeInterface'],
  'pod-interface-name-prefix': ['text', 'detectLocal.interfaceNamePrefix'],
  'feature-gates': ['gates', 'featureGates'],
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
}

/** The other flags. kube-proxy does not have those on the second line. */
const OTHERS: Readonly<Record<string, Kind>> = {
  ...{
    config: 'text',
    kubeconfig: 'text',
    master: 'text',
    'hostname-override': 'text',
    cleanup: 'boolean',
    'init-only': 'boolean',
  },
  ...{ 'kubernetes-version': 'text', 'full-sync-period': 'text' },
}

export interface Settings {
  readonly configuration: KubeProxyConfiguration
  readonly mode: Exclude<ProxyMode, 'userspace'>
  readonly nodeName: string
  readonly kubeconfig: string | undefined
  readonly master: string | undefined
  /** The version of kube-proxy whose rules are programmed. Default: that of the Node. */
  readonly kubernetesVersion?: string | undefined
  /** How often everything that the node holds is read, in milliseconds. */
  readonly fullSyncPeriod: number
  readonly action: 'run' | 'initialize' | 'cleanUp'
  /** Flags without effect, because the configuration file has precedence. */
  readonly ignored: readonly string[]
}

/** An error in the flags or the configuration; `message` has one line for each problem. */
export class SettingsError extends Error {}

/** Reads the flags and the configuration file of `--config`. */
export function readSettings(args: readonly string[], hostName: string): Settings {
  const names = [...Object.keys(FIELDS), ...Object.keys(OTHERS)]
  const kindOf = (name: string) => FIELDS[name]?.[0] ?? OTHERS[name]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  let values: Readonly<Record<string, string | undefined>>
  try {
    // As in kube-proxy, `--cleanup` means `--cleanup=true`.
    const given = args.map((word) => (kindOf(word.slice(2)) === 'boolean' ? `${word}=true` : word))
    values = parseArgs({ args: given, options }).values as typeof values
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
  const flags = Object.entries(FIELDS).flatMap(([name, [kind, path]]) => {
    const text = values[name]
    return text === undefined ? [] : [{ name, path, value: readFlag(name, kind, text) }]
  })
  const fromFile = values.config === undefined ? undefined : readFile(values.config)
  const fromFlags = flags.reduce<KubeProxyConfiguration>((sum, { path, value }) => setField(sum, path, value), {})
  const configuration = fromFile ?? fromFlags
  const nodeName = (values['hostname-override'] || configuration.hostnameOverride || hostName).trim().toLowerCase()
  const mode = (configuration.mode || 'iptables') as ProxyMode
  if (!modeNames().includes(mode))
    throw new SettingsError(`mode ${mode} is unknown (expected one of ${modeNames().join(', ')})`)
  if (mode === 'userspace')
    throw new SettingsError('mode userspace relays connections itself, which this program does not do')
  const { kubernetesVersion } = check(configuration, mode, values['kubernetes-version'])
  return {
    ...{ configuration, mode, nodeName, kubernetesVersion },
    kubeconfig: values.kubeconfig ?? (configuration.clientConnection?.kubeconfig || undefined),
    master: values.master,
    fullSyncPeriod: parseDuration(values['full-sync-period'] ?? '1h') || 3_600_000,
    action: values.cleanup === 'true' ? 'cleanUp' : values['init-only'] === 'true' ? 'initialize' : 'run',
    ignored: fromFile === undefined ? [] : flags.map(({ name }) => `--${name}`),
  }
}

/** Rejects what kube-proxy rejects, before anything is changed. */
function check(configuration: KubeProxyConfiguration, mode: ProxyMode, kubernetesVersion: string | undefined) {
  try {
    compile({ services: [], configuration }, { mode, kubernetesVersion })
    return { kubernetesVersion }
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
}

function readFlag(name: string, kind: Kind, text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'list') return text.split(',').filter(Boolean)
  if (kind === 'gates')
    return Object.fromEntries(text.split(',').map((each) => [each.split('=')[0], each.endsWith('=true')]))
  if (kind === 'number' && /^-?\d+$/.test(text)) return Number(text)
  if (kind === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  throw new SettingsError(`--${name} is ${text} (expected a ${kind})`)
}

function setField(configuration: KubeProxyConfiguration, path: string, value: unknown): KubeProxyConfiguration {
  const [group = '', field] = path.split('.')
  const given = configuration as Readonly<Record<string, object | undefined>>
  return { ...given, [group]: field === undefined ? value : { ...given[group], [field]: value } }
}

/** Reads a KubeProxyConfiguration, or the ConfigMap of kubeadm that has one under `config.conf`. */
function readFile(path: string): KubeProxyConfiguration {
  try {
    const document = load(readFileSync(path, 'utf8')) as
      | { kind?: string; data?: Readonly<Record<string, string>> }
      | undefined
    const found = document?.kind === 'ConfigMap' ? load(document.data?.['config.conf'] ?? '') : document
    if ((found as { kind?: string } | undefined)?.kind !== 'KubeProxyConfiguration') {
      throw new Error('no KubeProxyConfiguration')
    }
    return found as KubeProxyConfiguration
  } catch (error) {
    throw new SettingsError(`${path}: ${(error as Error).message}`)
  }
}
