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

/** A configuration of kube-proxy, if one was found, and a note about its source. */
interface FoundConfiguration {
  readonly configuration?: object
  readonly note: string
}

/**
 * Finds the configuration of kube-proxy on a node: the flags of its Pod (GKE, AKS, RKE2, Talos, kops), a ConfigMap
 * (kubeadm, kind, EKS), or the arguments of K3s in an annotation of the Node. Without any of these, takes the flags of the
 * Pods on other nodes, if they are equal. The note names the source, and the nodes with other flags.
 */
export function findProxyConfiguration(objects: ConfigurationObjects): FoundConfiguration {
  const { nodes, nodeName, pods, configMaps } = objects
  const own = findPodConfiguration(pods, nodeName)
  if (own !== undefined) return own
  const configMap = configMaps.find((each) => /\bKubeProxyConfiguration\b/.test(dataOf(each)))
  if (configMap !== undefined) {
    const note = `configuration of kube-proxy: ConfigMap ${getStringAt(configMap, 'metadata', 'name')}`
    return { configuration: stripConfigMap(configMap), note }
  }
  const configuration = configurationOfK3s(nodes, nodeName)
  if (configuration !== undefined) {
    return { configuration, note: `configuration of kube-proxy: the arguments of K3s at Node ${nodeName}` }
  }
  return findCommonConfiguration(pods)
}

/** Returns the configuration of a node in the flags of its Pod; undefined if there is no such Pod, or if it reads a file. */
export function findPodConfiguration(
  pods: readonly unknown[],
  nodeName: string | undefined,
): FoundConfiguration | undefined {
  const pod = findProxyPod(pods, nodeName)
  const flags = settingsOf(pod)
  if (flags.length === 0) return undefined
  const others = pods.filter((each) => settingsOf(each).length > 0 && keyOf(settingsOf(each)) !== keyOf(flags))
  const different = others.length === 0 ? '' : `; Pods on ${nodesOf(others)} have different flags`
  const note = `configuration of kube-proxy: the flags of Pod ${getStringAt(pod, 'metadata', 'name')}${different}`
  return { configuration: translateFlags(flags), note }
}

/** Returns the configuration in the flags of all Pods, if they are equal. */
function findCommonConfiguration(pods: readonly unknown[]): FoundConfiguration {
  const all = pods.map(settingsOf).filter(({ length }) => length > 0)
  const [flags] = all
  if (flags === undefined) return { note: `no configuration of kube-proxy was found in the cluster; ${PASS}` }
  if (all.some((each) => keyOf(each) !== keyOf(flags))) {
    return { note: `the configuration of kube-proxy is unknown, because its Pods have different flags; ${PASS}` }
  }
  const note = 'configuration of kube-proxy: the flags of its Pods on other nodes'
  return { configuration: translateFlags(flags), note }
}

const PASS = '--config passes one'

/** Returns the flags of a Pod of kube-proxy; none if it reads a configuration file. */
function settingsOf(pod: unknown): readonly string[] {
  const flags = flagsOfPod(pod)
  return flags.some((flag) => /^--config(?:=|$)/.test(flag)) ? [] : flags
}

function keyOf(flags: readonly string[]): string {
  return JSON.stringify([...flags].sort())
}

/** The maximum number of nodes in a note. */
const MAX_NODES = 3

function nodesOf(pods: readonly unknown[]): string {
  const names = pods.flatMap((pod) => getStringAt(pod, 'spec', 'nodeName') ?? []).sort()
  const more = names.length - MAX_NODES
  return more <= 0 ? names.join(', ') : `${names.slice(0, MAX_NODES).join(', ')} and ${more} more nodes`
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
