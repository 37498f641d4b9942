import { getFieldAt, getListAt } from '@kube-rules/types/internal/manifests/manifest-objects'

/** The key of the configuration in the output of `/configz` of kube-proxy. */
const GROUP = 'kubeproxy.config.k8s.io'

/** The fields that affect rules, with the names of the Go types. */
const FIELDS = [
  ...['Mode', 'BindAddress', 'ClusterCIDR', 'HostnameOverride', 'HealthzBindAddress', 'FeatureGates'],
  ...['NodePortAddresses', 'DetectLocalMode', 'DetectLocal.BridgeInterface', 'DetectLocal.InterfaceNamePrefix'],
  ...['IPTables.MasqueradeBit', 'IPTables.MasqueradeAll', 'IPTables.LocalhostNodePorts'],
  ...['IPVS.Scheduler', 'IPVS.ExcludeCIDRs', 'IPVS.StrictARP', 'NFTables.MasqueradeBit', 'NFTables.MasqueradeAll'],
]

/**
 * Translates the output of `/configz` of kube-proxy to the KubeProxyConfiguration that causes the same rules. Returns
 * undefined for any other document.
 */
export function translateConfigz(document: object): object | undefined {
  const settings = getFieldAt(document, GROUP)
  if (typeof settings !== 'object' || settings === null) return undefined
  const given = FIELDS.map((path) => [path, getFieldAt(settings, ...path.split('.'))] as const)
  const configuration: Record<string, unknown> = { apiVersion: `${GROUP}/v1alpha1`, kind: 'KubeProxyConfiguration' }
  for (const [path, value] of [...given, ...readMovedFields(settings)]) {
    if (value === undefined || value === null || value === '' || getFieldAt(value, 'length') === 0) continue
    const [section = '', name] = path.split('.').map(toFieldName)
    configuration[section] = name === undefined ? value : { ...Object(configuration[section]), [name]: value }
  }
  return configuration
}

/** Reads the fields that newer versions of Kubernetes have in other places. */
function readMovedFields(settings: object): readonly (readonly [path: string, value: unknown])[] {
  const masqueradeAll = getFieldAt(settings, 'Linux', 'MasqueradeAll')
  return [
    ['ClusterCIDR', getListAt(settings, 'DetectLocal', 'ClusterCIDRs').join(',')],
    ['IPTables.MasqueradeAll', masqueradeAll],
    ['NFTables.MasqueradeAll', masqueradeAll],
  ]
}

function toFieldName(name: string): string {
  return name.replace(/^(?:IPT|NFT|IPVS|[A-Z])/, (letters) => letters.toLowerCase())
}
