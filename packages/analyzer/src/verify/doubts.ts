import type { PodTraffic } from '@kube-rules/compiler/internal/model/node/pod-traffic'
import type { CompiledMode } from '@kube-rules/compiler/internal/targets/modes'
import type { Doubt, Drift, DriftGroup } from './report.js'

/** What tells whether a node is the one that was compiled for. */
export interface DoubtFacts {
  readonly mode: CompiledMode
  /** The modes of which the node holds what no other mode makes. */
  readonly heldModes: readonly CompiledMode[]
  /** How packets of pods are told from others, by what was compiled and by what the node holds; undefined: not at all. */
  readonly wantedPods: PodTraffic | undefined
  readonly foundPods: PodTraffic | undefined
  /** The versions of kube-proxy that write such tables, where what was compiled and what the node holds tell. */
  readonly wantedVersions: readonly string[] | undefined
  readonly foundVersions: readonly string[] | undefined
  /** The networks, as text, that are the Node's own. */
  readonly podCidrs: readonly string[]
  /** How many service ports were compiled. */
  readonly servicePorts: number
  readonly drift: readonly DriftGroup[]
}

/** What explains drift, of which there is some, better than a fault of the node does: the one that explains most of it. */
export function doubtsOf(facts: DoubtFacts): readonly Doubt[] {
  const doubt = doubtOfMode(facts) ?? doubtOfVersion(facts) ?? doubtOfPods(facts) ?? doubtOfMost(facts)
  return doubt === undefined ? [] : [doubt]
}

function doubtOfMode({ mode, heldModes }: DoubtFacts): Doubt | undefined {
  const [other] = heldModes
  if (other === undefined || heldModes.includes(mode)) return undefined
  const message = `the node holds what mode ${other} makes and nothing of mode ${mode}: is ${mode} the mode of its kube-proxy?`
  return { about: 'mode', message }
}

function doubtOfVersion({ wantedVersions: wanted, foundVersions: found }: DoubtFacts): Doubt | undefined {
  if (wanted === undefined || found === undefined) return undefined
  if (found.some((version) => wanted.includes(version))) return undefined
  const [theirs, ours] = [found.join(' or '), wanted.join(' or ')]
  const message = `the tables of the node are those of kube-proxy ${theirs}, what was compiled is that of ${ours}: which version is its kube-proxy?`
  return { about: 'version', message }
}

/** By which network pods are told is said in a rule of each service port, or in one that is for all. */
function doubtOfPods(facts: DoubtFacts): Doubt | undefined {
  const { wantedPods, foundPods, podCidrs } = facts
  const [wanted, found] = [podTrafficText(wantedPods), podTrafficText(foundPods)]
  if (wanted === found || (foundPods === undefined && !isOfMasquerading(mostCommon(facts)))) return undefined
  const message = `the node tells packets of pods by ${found}, what was compiled by ${wanted}`
  if (wantedPods?.by === 'cidr' && podCidrs.includes(wantedPods.cidr.text)) {
    return { about: 'node', message: `${message}, which is the Node's: is it this node that was dumped?` }
  }
  const fields = 'clusterCIDR, detectLocalMode, masqueradeAll'
  return { about: 'configuration', message: `${message}: is the configuration (${fields}) that of its kube-proxy?` }
}

/** A node without any rule of a service port tells pods by nothing, too. */
function isOfMasquerading(most: CommonDrift | undefined): boolean {
  return /^-A .* -j KUBE-MARK-MASQ$/.test(most?.example.wanted ?? '')
}

function podTrafficText(podTraffic: PodTraffic | undefined): string {
  switch (podTraffic?.by) {
    case 'cidr':
      return podTraffic.cidr.text
    case 'interface':
      return `interface ${podTraffic.interface}`
    case 'interfacePrefix':
      return `interfaces ${podTraffic.prefix}*`
    default:
      return 'nothing'
  }
}

function doubtOfMost(facts: DoubtFacts): Doubt | undefined {
  const most = mostCommon(facts)
  if (most === undefined) return undefined
  const { count, example } = most
  const what = `${count} of ${totalOf(facts)} service ports drift in the same way (${example.kind}: ${example.reason})`
  const input = 'configuration, node, mode and version'
  const isOnlyMissing = facts.drift.every(({ drift }) => drift.every(({ kind }) => kind === 'missing'))
  const question = isOnlyMissing
    ? `were they taken away, or are ${input} not those of its kube-proxy?`
    : `are ${input} those of its kube-proxy, and has it seen these objects?`
  return { about: 'input', message: `${what}: ${question}` }
}

/** Fewer service ports may drift alike by chance. */
const FEWEST = 3

interface CommonDrift {
  /** How many service ports have it. */
  readonly count: number
  readonly example: Drift
}

/** The drift that more than half of the service ports have; undefined where there is none. */
function mostCommon(facts: DoubtFacts): CommonDrift | undefined {
  const found = new Map<string, CommonDrift>()
  for (const { servicePort, drift } of facts.drift) {
    if (servicePort === '') continue
    for (const [kind, example] of new Map(drift.map((each) => [wayOf(each), each]))) {
      found.set(kind, { example, count: (found.get(kind)?.count ?? 0) + 1 })
    }
  }
  const [most] = [...found.values()].sort((a, b) => b.count - a.count)
  return most !== undefined && most.count >= FEWEST && most.count * 2 > totalOf(facts) ? most : undefined
}

/** Service ports that were compiled, or more where the node has others. */
function totalOf({ servicePorts, drift }: DoubtFacts): number {
  return Math.max(servicePorts, drift.filter(({ servicePort }) => servicePort !== '').length)
}

/** In which way something drifts: its reason without the names of chains and addresses. */
function wayOf({ language, kind, reason }: Drift): string {
  const words = reason.split(' ').filter((word) => !/^KUBE-|[\d:]/.test(word))
  return `${language} ${kind} ${words.join(' ')}`
}
