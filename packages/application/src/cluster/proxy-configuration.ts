import { getFieldAt, getStringAt } from '@kube-rules/types/internal/manifests/manifest-objects'
import { findProxyPod, flagsOfPod } from './proxy-pods.js'
import { translateConfiguration, translateFlags } from './translate-configuration.js'

/** The objects that may contain the configuration of kube-proxy. */
interface ConfigurationObjects {
  readonly nodes: readonly unknown[]
  readonly nodeName: string | undefined
  readonly pods: readonly unknown[]
  readonly configMaps: readonly unknown[]
}

/**
 * Finds the configuration of kube-proxy on a node: the flags of its Pod (GKE, AKS, RKE2, Talos, kops), a ConfigMap
 * (kubeadm, kind, EKS), or the arguments of K3s in an annotation of the Node. The note names the source.
 */
export function findProxyConfiguration({ nodes, nodeName, pods, configMaps }: ConfigurationObjects): {
  readonly configuration?: object
  readonly note: string
} {
  const pod = findProxyPod(pods, nodeName)
  const flags = flagsOfPod(pod)
  if (flags.length > 0 && !flags.some((flag) => /^--config(?:=|$)/.test(flag))) {
    const note = `configuration of kube-proxy: the flags of Pod ${getStringAt(pod, 'metadata', 'name')}`
    return { configuration: translateFlags(flags), note }
  }
  const configMap = configMaps.find((each) => /\bKubeProxyConfiguration\b/.test(dataOf(each)))
  if (configMap !== undefined) {
    const note = `configuration of kube-proxy: ConfigMap ${getStringAt(configMap, 'metadata', 'name')}`
    return { configuration: stripConfigMap(configMap), note }
  }
  const configuration = configurationOfK3s(nodes, nodeName)
  if (configuration !== undefined) {
    return { configuration, note: `configuration of kube-proxy: the arguments of K3s at Node ${nodeName}` }
  }
  return { note: 'no configuration of kube-proxy was found in the cluster; --config passes one' }
}

/** Keeps the configurations of a ConfigMap. Other entries and annotations may be confidential. */
function stripConfigMap(configMap: unknown): object {
  const data = Object.entries(Object(getFieldAt(configMap, 'data'))).filter(([, text]) =>
    /\bKubeProxyConfiguration\b/.test(String(text)),
  )
  const metadata = {
    name: getStringAt(configMap, 'metadata', 'name'),
    namespace: getStringAt(configMap, 'metadata', 'namespace'),
  }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(data) }
}

function dataOf(configMap: unknown): string {
  const { data } = Object(configMap)
  return Object.values(Object(data)).join('\n')
}

/** The annotation of K3s with the arguments of a node, a JSON list. */
const NODE_ARGUMENTS = 'k3s.io/node-args'

function configurationOfK3s(nodes: readonly unknown[], nodeName: string | undefined): object | undefined {
  const own = nodes.find((node) => getStringAt(node, 'metadata', 'name') === nodeName)
  const words = argumentsOf(own)
  if (words === undefined) return undefined
  const networks = nodes.flatMap((node) => valuesOf(argumentsOf(node) ?? [], '--cluster-cidr'))
  const flags = valuesOf(words, '--kube-proxy-arg')
  return translateConfiguration({ 'kube-proxy-arg': flags, ...(networks[0] && { 'cluster-cidr': networks[0] }) })
}

function argumentsOf(node: unknown): readonly string[] | undefined {
  const text = getStringAt(node, 'metadata', 'annotations', NODE_ARGUMENTS)
  if (text === undefined) return undefined
  try {
    const words: unknown = JSON.parse(text)
    return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : undefined
  } catch {
    return undefined
  }
}

function valuesOf(words: readonly string[], flag: string): readonly string[] {
  return words.flatMap((word, index) => {
    if (word === flag) return words[index + 1] ?? []
    return word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : []
  })
}
