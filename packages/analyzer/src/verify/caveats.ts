import type { LocalTrafficDetection } from '@kube-rules/compiler/internal/model/node/local-traffic-detection'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { MARK_MASQ_CHAIN } from '@kube-rules/compiler/internal/targets/shared/mark'
import type { Caveat, Drift, DriftGroup } from './report.js'

/** Facts that show whether the dump is from the compiled node. */
export interface CaveatInputs {
  readonly mode: ProxyMode
  /** The active modes of the node. A mode is active if the node has resources that no other mode creates. */
  readonly activeModes: readonly ProxyMode[]
  /**
   * The local traffic detection of the compiled rules (`expected`) and of the node (`actual`). Undefined if rules
   * detect no local traffic.
   */
  readonly expectedPods: LocalTrafficDetection | undefined
  readonly actualPods: LocalTrafficDetection | undefined
  /**
   * The kube-proxy versions that write the same kinds of tables as the compile result (`expected`) and as the node
   * (`actual`); undefined if unknown.
   */
  readonly expectedVersions: readonly string[] | undefined
  readonly actualVersions: readonly string[] | undefined
  /** The pod networks of the Node, as text. */
  readonly podCidrs: readonly string[]
  /** The number of compiled service ports. */
  readonly servicePorts: number
  readonly drift: readonly DriftGroup[]
}

/**
 * Returns the caveat that explains most of the drift, in a list. The list is empty unless the caveat is a more likely
 * cause than a fault of the node. Requires at least one drift item.
 */
export function findCaveats(inputs: CaveatInputs): readonly Caveat[] {
  const caveat = caveatOfMode(inputs) ?? caveatOfVersion(inputs) ?? caveatOfPods(inputs) ?? caveatOfMost(inputs)
  return caveat === undefined ? [] : [caveat]
}

function caveatOfMode({ mode, activeModes }: CaveatInputs): Caveat | undefined {
  const [other] = activeModes
  if (other === undefined || activeModes.includes(mode)) return undefined
  const message = `the node has rules of ${other} mode and none of ${mode} mode: does its kube-proxy run in ${mode} mode?`
  return { about: 'mode', message }
}

function caveatOfVersion({ expectedVersions: expected, actualVersions: found }: CaveatInputs): Caveat | undefined {
  if (expected === undefined || found === undefined) return undefined
  if (found.some((version) => expected.includes(version))) return undefined
  const [theirs, ours] = [found.join(' or '), expected.join(' or ')]
  const message = `the node has tables of kube-proxy ${theirs}, but the expected rules are for ${ours}: which version does the node run?`
  return { about: 'version', message }
}

/**
 * Returns a caveat if the node and the compiled rules detect local traffic differently. A wrong detection changes one
 * rule of each service port, or one shared rule.
 */
function caveatOfPods(inputs: CaveatInputs): Caveat | undefined {
  const { expectedPods, actualPods, podCidrs } = inputs
  const [expected, found] = [formatLocalTrafficDetection(expectedPods), formatLocalTrafficDetection(actualPods)]
  if (expected === found || (actualPods === undefined && !isOnlyMasquerading(inputs))) return undefined
  const message = `the node detects local traffic by ${found}, but the expected rules by ${expected}`
  if (expectedPods?.kind === 'cidr' && podCidrs.includes(expectedPods.cidr.text)) {
    return { about: 'node', message: `${message}, a podCIDR of the Node: does the dump belong to this node?` }
  }
  const fields = 'clusterCIDR, detectLocalMode, masqueradeAll'
  return { about: 'configuration', message: `${message}: is the configuration (${fields}) the one of its kube-proxy?` }
}

/**
 * Reports whether the drift of most service ports is only about masquerading. Without this check, a node without any
 * service-port rule would get the caveat, because it also has no local traffic detection.
 */
function isOnlyMasquerading(inputs: CaveatInputs): boolean {
  const isMasquerading = ({ part }: Drift) => part.kind === 'rule' && part.expected?.jumpsTo === MARK_MASQ_CHAIN
  const most = mostCommon(inputs)
  if (most === undefined || !isMasquerading(most.example)) return false
  const groups = inputs.drift.filter(({ servicePort }) => servicePort !== '')
  const alone = groups.filter(({ drift }) => drift.every(isMasquerading))
  return alone.length * 2 > groups.length
}

function formatLocalTrafficDetection(localTrafficDetection: LocalTrafficDetection | undefined): string {
  switch (localTrafficDetection?.kind) {
    case 'cidr':
      return localTrafficDetection.cidr.text
    case 'interface':
      return `interface ${localTrafficDetection.interface}`
    case 'interfacePrefix':
      return `interfaces ${localTrafficDetection.prefix}*`
    default:
      return 'nothing'
  }
}

function caveatOfMost(inputs: CaveatInputs): Caveat | undefined {
  const most = mostCommon(inputs)
  if (most === undefined) return undefined
  const { count, example } = most
  const what = `${count} of ${totalOf(inputs)} service ports have the same drift (${example.kind}: ${example.reason})`
  const input = 'configuration, node, mode and version'
  const isOnlyMissing = inputs.drift.every(({ drift }) => drift.every(({ kind }) => kind === 'missing'))
  const question = isOnlyMissing
    ? `were they deleted, or do ${input} not match the kube-proxy of the node?`
    : `do ${input} match the kube-proxy of the node, and did it receive these objects?`
  return { about: 'input', message: `${what}: ${question}` }
}

/** The minimum number of service ports. Fewer service ports may have the same drift by chance. */
const FEWEST = 3

interface CommonDrift {
  /** The number of service ports with this drift. */
  readonly count: number
  readonly example: Drift
}

/** Returns the drift that more than half of the service ports have in common. Undefined if there is no such drift. */
function mostCommon(inputs: CaveatInputs): CommonDrift | undefined {
  const byType = new Map<string, CommonDrift>()
  for (const { servicePort, drift } of inputs.drift) {
    if (servicePort === '') continue
    for (const [kind, example] of new Map(drift.map((each) => [driftTypeOf(each), each]))) {
      byType.set(kind, { example, count: (byType.get(kind)?.count ?? 0) + 1 })
    }
  }
  const [most] = [...byType.values()].sort((a, b) => b.count - a.count)
  return most !== undefined && most.count >= FEWEST && most.count * 2 > totalOf(inputs) ? most : undefined
}

/** Returns the number of compiled service ports, or the number of service ports with drift if that number is greater. */
function totalOf({ servicePorts, drift }: CaveatInputs): number {
  return Math.max(servicePorts, drift.filter(({ servicePort }) => servicePort !== '').length)
}

/** Returns the type of drift: its reason without names of chains and addresses. */
function driftTypeOf({ subsystem, kind, reason }: Drift): string {
  const words = reason.split(' ').filter((word) => !/^KUBE-|[\d:]/.test(word))
  return `${subsystem} ${kind} ${words.join(' ')}`
}
