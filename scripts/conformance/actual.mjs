import { conntrackOf } from './conntrack.mjs'
import { patchProblems } from './incremental.mjs'
import { ACTUAL_BY_MODE } from './modes.mjs'
import { portProblems } from './proxy-ports.mjs'
import { verifyProblems } from './verify.mjs'

/** The kube-proxy version of cases without a version. */
const REFERENCE_VERSION = '1.30'

/** Returns the kube-proxy version of a case. */
export function versionOf({ kubernetesVersion = REFERENCE_VERSION }) {
  return kubernetesVersion
}

/** Returns the proxy mode of a step. */
export function modeOf(step) {
  return ofKind(step, 'KubeProxyConfiguration')[0]?.mode ?? 'iptables'
}

/**
 * Compiles one step from the result of the previous step. Returns `actual`, in the structure of the step's `expected`;
 * `problems`, a line for each difference between the update and a first load, or between the chosen and the recorded
 * ports; and `drift`, a line for each deviation that `verify` finds in the reference state. `memory` is a Map with the
 * data of the earlier steps of the case.
 */
export function actualOf(library, conformanceCase, step, memory) {
  const mode = modeOf(step)
  const input = inputOf(conformanceCase, step, memory)
  const options = {
    nodeName: ofKind(step, 'Node')[0]?.metadata?.name,
    kubernetesVersion: versionOf(conformanceCase),
    // In userspace mode, kube-proxy deletes connections of both families, although it has rules for only one.
    families: mode === 'userspace' ? ['IPv4', 'IPv6'] : [conformanceCase.ipFamily],
  }
  const result = library.compile(input, { ...options, previous: memory.get('result') })
  if (result.mode !== mode) throw new Error(`compiled for ${result.mode} mode, not ${mode}`)
  const family = result.families.find((one) => one.family === conformanceCase.ipFamily)
  if (family === undefined) throw new Error(`the result has no ${conformanceCase.ipFamily}`)
  const patch = library.diff(memory.get('result'), result)
  const full = library.compile(input, options)
  memory.set('result', result)
  const problems = patchProblems(library, patch, full, memory)
  const actual = ACTUAL_BY_MODE.get(mode)(library, family, step, memory, versionOf(conformanceCase))
  return {
    actual: { ...actual, conntrack: conntrackOf(library, patch, result.families) },
    problems: [...problems, ...portProblems(library, step, input, options, memory)],
    drift: verifyProblems(library, conformanceCase, step, result, actual.tables),
  }
}

function inputOf(conformanceCase, step, memory) {
  return {
    services: ofKind(step, 'Service'),
    endpointSlices: ofKind(step, 'EndpointSlice'),
    endpoints: ofKind(step, 'Endpoints'),
    nodes: nodesOf(conformanceCase, step),
    serviceCIDRs: ofKind(step, 'ServiceCIDR'),
    configuration: configurationOf(conformanceCase, step),
    host: hostOf(conformanceCase, step, memory),
  }
}

/**
 * Builds the host. In userspace mode, the ports of the process are an input of each step. kube-proxy reads the
 * addresses of the node at the end of its first sync, so no port of an address is reserved before.
 */
function hostOf({ host, ipFamily }, { proxyPorts }, memory) {
  if (proxyPorts === undefined) return withBoundAddresses(host, memory)
  if (memory.has('result')) return { ...host, proxyPorts }
  const own = host.interfaces.filter(({ name }) => name !== 'lo').flatMap(({ addresses }) => addresses)
  const hostIP = own.find((address) => address.includes(':') === (ipFamily === 'IPv6'))?.split('/')[0]
  return { ...host, interfaces: [], hostIP, proxyPorts }
}

/** Adds kube-ipvs0 with the addresses that the previous step bound to it, because old versions read them. */
function withBoundAddresses(host, memory) {
  const addresses = memory.get('result')?.families.flatMap(({ state }) => state.addresses?.addresses ?? []) ?? []
  if (addresses.length === 0) return host
  const bound = addresses.map((address) => `${address}/${address.includes(':') ? 128 : 32}`)
  return { ...host, interfaces: [...host.interfaces, { name: 'kube-ipvs0', addresses: bound }] }
}

/**
 * Reorders node addresses. In userspace mode, the first address of the Node determines the family, and the recordings
 * used the family of the case.
 */
function nodesOf({ ipFamily }, step) {
  const nodes = ofKind(step, 'Node')
  if (modeOf(step) !== 'userspace') return nodes
  const isOfCase = ({ address }) => address.includes(':') === (ipFamily === 'IPv6')
  return nodes.map((node) => {
    const addresses = node.status?.addresses ?? []
    const first = [...addresses.filter(isOfCase), ...addresses.filter((each) => !isOfCase(each))]
    return { ...node, status: { ...node.status, addresses: first } }
  })
}

/** Adds the feature gate that nftables mode requires in 1.29 and 1.30, which the recordings omit. */
function configurationOf(conformanceCase, step) {
  const [configuration] = ofKind(step, 'KubeProxyConfiguration')
  if (modeOf(step) !== 'nftables' || !['1.29', '1.30'].includes(versionOf(conformanceCase))) return configuration
  return { ...configuration, featureGates: { ...configuration.featureGates, NFTablesProxyMode: true } }
}

function ofKind(step, kind) {
  return step.objects.filter((object) => object.kind === kind)
}
