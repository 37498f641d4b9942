import { conntrackOf } from './conntrack.mjs'
import { patchProblems } from './incremental.mjs'
import { ACTUAL_BY_MODE } from './modes.mjs'
import { portProblems } from './proxy-ports.mjs'
import { verifyProblems } from './verify.mjs'

/** The version of kube-proxy that made the cases that name none. */
const REFERENCE_VERSION = '1.30'

/** The version of kube-proxy that made a case. */
export function versionOf({ kubernetesVersion = REFERENCE_VERSION }) {
  return kubernetesVersion
}

/** The proxy mode a step asks for. */
export function modeOf(step) {
  return ofKind(step, 'KubeProxyConfiguration')[0]?.mode ?? 'iptables'
}

/**
 * What the library makes of one step from the result of the step before: `actual`, in the shape of the step's `expected`,
 * `problems`, a line for everything in which the update differs from a first load, or the choice of ports from the recorded
 * one, and `drift`, a line for everything that
 * `verify` finds fault with in what the reference holds. `memory` is a Map that holds what
 * has to be known of the earlier steps of the case.
 */
export function actualOf(library, conformanceCase, step, memory) {
  const mode = modeOf(step)
  const input = inputOf(conformanceCase, step, memory)
  const options = {
    nodeName: ofKind(step, 'Node')[0]?.metadata?.name,
    kubernetesVersion: versionOf(conformanceCase),
    // The process of mode userspace forgets connections of both, though it has rules of one.
    families: mode === 'userspace' ? ['IPv4', 'IPv6'] : [conformanceCase.ipFamily],
  }
  const result = library.compile(input, { ...options, previous: memory.get('result') })
  if (result.mode !== mode) throw new Error(`compiled for mode ${result.mode}, not ${mode}`)
  const family = result.families.find((one) => one.family === conformanceCase.ipFamily)
  if (family === undefined) throw new Error(`the result has no ${conformanceCase.ipFamily}`)
  const patch = library.diff(memory.get('result'), result)
  const full = library.compile(input, options)
  memory.set('result', result)
  const actual = ACTUAL_BY_MODE.get(mode)(library, family, step, memory)
  return {
    actual: { ...actual, conntrack: conntrackOf(library, patch) },
    problems: [...patchProblems(library, patch, full, memory), ...portProblems(library, step, input, options, memory)],
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
    host: hostOf(conformanceCase, step, !memory.has('result')),
  }
}

/**
 * In mode userspace the ports of the process are an input of each step. Which addresses are the node's own the process learns at
 * the end of its first sync: until then it reserves none of them.
 */
function hostOf({ host, ipFamily }, { proxyPorts }, isFirst) {
  if (proxyPorts === undefined) return host
  if (!isFirst) return { ...host, proxyPorts }
  const own = host.interfaces.filter(({ name }) => name !== 'lo').flatMap(({ addresses }) => addresses)
  const hostIP = own.find((address) => address.includes(':') === (ipFamily === 'IPv6'))?.split('/')[0]
  return { ...host, interfaces: [], hostIP, proxyPorts }
}

/** In mode userspace the first address of the Node decides about the family; the recordings took that of the case. */
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

/** In 1.30 mode nftables has to be asked for by a gate, too, which the recordings leave out. */
function configurationOf(conformanceCase, step) {
  const [configuration] = ofKind(step, 'KubeProxyConfiguration')
  if (modeOf(step) !== 'nftables' || versionOf(conformanceCase) !== '1.30') return configuration
  return { ...configuration, featureGates: { ...configuration.featureGates, NFTablesProxyMode: true } }
}

function ofKind(step, kind) {
  return step.objects.filter((object) => object.kind === kind)
}
