import { getFieldAt, getListAt, getStringAt } from '@kube-rules/types/internal/manifests/manifest-objects'
import { translateConfigz } from './translate-configz.js'

/** The settings of kube-proxy in the configuration file of an installer. */
interface InstallerSettings {
  /** The flags of kube-proxy, such as `proxy-mode`, with their values. */
  readonly flags: readonly (readonly [name: string, value: unknown])[]
  /** The network of pods that the installer passes to kube-proxy. */
  readonly clusterCIDR?: unknown
}

/**
 * Translates the output of `/configz` of kube-proxy, or the configuration file of an installer, to the
 * KubeProxyConfiguration that it causes: of Talos, of K3s and RKE2, and of kops. Returns any other document unchanged.
 * Unknown flags become unknown fields, which are reported.
 */
export function translateConfiguration(document: object): object {
  const settings = readTalos(document) ?? readK3s(document) ?? readKops(document)
  return settings === undefined ? (translateConfigz(document) ?? document) : createConfiguration(settings)
}

/** Returns the KubeProxyConfiguration that a command line of kube-proxy causes, such as `--proxy-mode=ipvs`. */
export function translateFlags(words: readonly string[]): object {
  return createConfiguration({ flags: words.map(splitFlag) })
}

function createConfiguration(settings: InstallerSettings): object {
  const fields = new Map<string, unknown>([
    ['apiVersion', 'kubeproxy.config.k8s.io/v1alpha1'],
    ['kind', 'KubeProxyConfiguration'],
  ])
  if (settings.clusterCIDR !== undefined) fields.set('clusterCIDR', settings.clusterCIDR)
  for (const [flag, value] of settings.flags) if (!WITHOUT_EFFECT.test(flag)) setField(fields, flag, value)
  return Object.fromEntries(fields)
}

/** Flags without an effect on rules. */
const WITHOUT_EFFECT =
  /^(?:conntrack-\S*|(?:ipvs|iptables)-(?:min-)?sync-period|v|vmodule|kubeconfig|config|profiling|master|oom-score-adj|logging-format|log[-_]\S*|logtostderr|alsologtostderr)$/

/** Reads a machine configuration of Talos: `cluster.proxy` and `cluster.network`. */
function readTalos(document: object): InstallerSettings | undefined {
  const cluster = getFieldAt(document, 'cluster')
  if (getStringAt(document, 'kind') !== undefined || getFieldAt(document, 'machine') === undefined) return undefined
  const mode = getStringAt(cluster, 'proxy', 'mode')
  const flags = entriesOf(getFieldAt(cluster, 'proxy', 'extraArgs'))
  const networks = getListAt(cluster, 'network', 'podSubnets')
  return {
    flags: [...(mode === undefined ? [] : ([['proxy-mode', mode]] as const)), ...flags],
    clusterCIDR: networks.length === 0 ? '10.244.0.0/16' : networks.join(','),
  }
}

const K3S_FIELDS: readonly string[] = [
  ...['kube-proxy-arg', 'cluster-cidr', 'service-cidr', 'disable-kube-proxy', 'flannel-backend', 'node-ip'],
  ...['write-kubeconfig-mode', 'cluster-init', 'tls-san'],
]

/** Reads `config.yaml` of K3s or RKE2: `kube-proxy-arg` and `cluster-cidr`. */
function readK3s(document: object): InstallerSettings | undefined {
  if (getStringAt(document, 'kind') !== undefined) return undefined
  if (!K3S_FIELDS.some((name) => getFieldAt(document, name) !== undefined)) return undefined
  const given = getFieldAt(document, 'kube-proxy-arg')
  const words = (Array.isArray(given) ? given : [given]).filter((word) => typeof word === 'string')
  const networks = getFieldAt(document, 'cluster-cidr') ?? '10.42.0.0/16'
  return { flags: words.map(splitFlag), clusterCIDR: Array.isArray(networks) ? networks.join(',') : networks }
}

/** Splits `--proxy-mode=ipvs`. A flag without a value is true. */
function splitFlag(word: string): readonly [name: string, value: string] {
  const [name = '', ...rest] = word.replace(/^--/, '').split('=')
  return [name, rest.length === 0 ? 'true' : rest.join('=')]
}

/** Reads a Cluster of kops: the fields of `spec.kubeProxy` are the flags in camel case. */
function readKops(document: object): InstallerSettings | undefined {
  const isKops = getStringAt(document, 'apiVersion')?.startsWith('kops.k8s.io/') === true
  if (!isKops || getStringAt(document, 'kind') !== 'Cluster') return undefined
  const fields = entriesOf(getFieldAt(document, 'spec', 'kubeProxy')).filter(([name]) => !KOPS_ONLY.has(name))
  return { flags: fields.map(([name, value]) => [toFlag(name), value]) }
}

/** Fields of kops that set no flag of kube-proxy, or none that affects rules. */
const KOPS_ONLY: ReadonlySet<string> = new Set([
  ...['enabled', 'image', 'cpuRequest', 'cpuLimit', 'memoryRequest', 'memoryLimit', 'logLevel', 'master'],
])

function toFlag(field: string): string {
  return field.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`)
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

type ValueReader = (value: unknown) => unknown

const asText: ValueReader = (value) => value
const asBoolean: ValueReader = (value) => (value === 'true' ? true : value === 'false' ? false : value)
const asNumber: ValueReader = (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value)
const asList: ValueReader = (value) => (typeof value === 'string' ? value.split(',') : value)
const asGates: ValueReader = (value) =>
  typeof value === 'string'
    ? Object.fromEntries(value.split(',').map((gate) => [gate.split('=', 1)[0], asBoolean(gate.split('=')[1])]))
    : value

/** The fields of the KubeProxyConfiguration that flags of kube-proxy set. */
const FLAGS: ReadonlyMap<string, readonly [path: string, read: ValueReader]> = new Map([
  ['proxy-mode', ['mode', asText]],
  ['bind-address', ['bindAddress', asText]],
  ['cluster-cidr', ['clusterCIDR', asText]],
  ['hostname-override', ['hostnameOverride', asText]],
  ['detect-local-mode', ['detectLocalMode', asText]],
  ['pod-bridge-interface', ['detectLocal.bridgeInterface', asText]],
  ['pod-interface-name-prefix', ['detectLocal.interfaceNamePrefix', asText]],
  ['feature-gates', ['featureGates', asGates]],
  ['healthz-bind-address', ['healthzBindAddress', asText]],
  ['metrics-bind-address', ['metricsBindAddress', asText]],
  ['nodeport-addresses', ['nodePortAddresses', asList]],
  ['masquerade-all', ['iptables.masqueradeAll', asBoolean]],
  ['iptables-masquerade-bit', ['iptables.masqueradeBit', asNumber]],
  ['iptables-localhost-nodeports', ['iptables.localhostNodePorts', asBoolean]],
  ['ipvs-scheduler', ['ipvs.scheduler', asText]],
  ['ipvs-strict-arp', ['ipvs.strictARP', asBoolean]],
  ['ipvs-exclude-cidrs', ['ipvs.excludeCIDRs', asList]],
])

function setField(fields: Map<string, unknown>, flag: string, value: unknown): void {
  const known = FLAGS.get(flag)
  if (known === undefined) {
    fields.set(flag, value)
    return
  }
  const [path, read] = known
  const [section = '', field] = path.split('.')
  if (field === undefined) fields.set(section, read(value))
  else fields.set(section, { ...(fields.get(section) as object | undefined), [field]: read(value) })
}
