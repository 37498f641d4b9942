import { joinHostPort } from '@kube-rules/types'
import type { Step } from '../dataplane/netfilter/branch.js'
import type { ServicePortId } from '../services/service-port.js'
import type { Way } from '../trace/trace.js'
import type { Answer } from './answer.js'
import { fateText, onNode, type PacketFacts, packetsText, ruleOf, serviceText } from './packet-facts.js'
import { ANYWHERE, asRootText, serviceCommand } from './remedies.js'

/** A rule of another program that decides about a packet of a Service: before kube-proxy's are asked, or behind them. */
export function foreignRuleAnswer(facts: PacketFacts): Answer | undefined {
  const service = serviceOf(facts)
  if (service === undefined) return undefined
  for (const way of facts.ways) {
    const answer =
      refusedBehind(way, service, facts) ?? endedBefore(way, service, facts) ?? sourceTaken(way, service, facts)
    if (answer !== undefined) return answer
  }
  return undefined
}

/** Whose packet it is: `default/web:http` of `Service default/web`. */
interface OfService {
  readonly text: string
  readonly object: string
  readonly namespace: string
  readonly name: string
}

function serviceOf({ ways, wanted }: PacketFacts): OfService | undefined {
  const decided = wanted !== undefined && 'servicePort' in wanted.decision ? wanted.decision.servicePort : undefined
  if (decided !== undefined) return { ...decided, object: serviceText(decided) }
  const owner = ways.flatMap(({ steps }) => steps.map((step) => step.owner)).find((each) => each !== '')
  const [, namespace, name] = /^([^/]+)\/([^/:]+)/.exec(owner ?? '') ?? []
  if (owner === undefined || namespace === undefined || name === undefined) return undefined
  const id: Pick<ServicePortId, 'namespace' | 'name'> = { namespace, name }
  return { ...id, text: owner.replace(/\/[A-Z]+$/, ''), object: serviceText(id as ServicePortId) }
}

/** It was sent to an endpoint, and then another program's rule refuses or drops it. */
function refusedBehind(way: Way, { text, object }: OfService, facts: PacketFacts): Answer | undefined {
  const step = way.steps.at(-1)
  const { kind } = way.outcome
  if (step === undefined || (kind !== 'rejected' && kind !== 'dropped') || !isForeign(step, facts)) return undefined
  const sent = way.steps.find(({ verdict }) => verdict.startsWith('DNAT '))
  const target = sent?.verdict.split(' ').at(-1)
  const refuses = kind === 'rejected' ? 'refuses' : 'drops'
  const by = `rule ${indexOf(step, facts)} of ${step.chain}, which is not kube-proxy's, ${refuses} them`
  return {
    code: 'foreignRule',
    happens: onNode(
      facts.wanted?.plan,
      `${packetsText(facts.packet)} ${mayText(way, fateText([way]))} by a rule that is not kube-proxy's, such as a firewall's`,
    ),
    why:
      target === undefined
        ? `${by} before a rule of ${object} is asked`
        : `kube-proxy sends them to ${target}, an endpoint of ${object}; then ${by}`,
    todo: acceptText(step, target, text, facts),
    object,
    ...ruleOf(step),
  }
}

/** In a built-in chain the packets can be accepted before the rule; another chain is of a program that has to be asked. */
function acceptText(step: Step, target: string | undefined, text: string, facts: PacketFacts): string {
  const { packet, wanted } = facts
  const place = target ?? joinHostPort(packet.destination, packet.destinationPort)
  const last = `let the program that made the rule accept ${packet.protocol} to ${place} (${text})`
  if (!/^[A-Z]+$/.test(step.chain) || wanted === undefined) {
    return `kubectl get networkpolicies -A (${ANYWHERE}) shows whether a policy asks for that, where ${step.chain} is of the network plugin; only if none does: ${last}`
  }
  const [, address = packet.destination, port = packet.destinationPort] =
    /^\[?([^\]]*?)\]?:(\d+)$/.exec(target ?? '') ?? []
  const pods =
    packet.origin === 'pod' && wanted.plan.node.podTraffic?.by === 'cidr' ? wanted.plan.node.podTraffic : undefined
  const from = pods === undefined ? '' : ` -s ${pods.cidr.text}`
  const tool = address.includes(':') ? 'ip6tables' : 'iptables'
  const table = step.by.replace('iptables ', '')
  return `${tool} -t ${table} -I ${step.chain} ${indexOf(step, facts)}${from} -d ${address} -p ${packet.protocol.toLowerCase()} --dport ${port} -j ACCEPT (${asRootText(wanted.plan)}; helps at once, until the program that made the rule loads its rules again); then ${last} for good, on every node`
}

/** A rule of another program accepts it in a built-in chain, so that rules of kube-proxy behind are not asked. */
function endedBefore(way: Way, service: OfService, facts: PacketFacts): Answer | undefined {
  const { object } = service
  const asked = facts.wanted?.decision.outcome
  if (way.outcome.kind !== 'passes' || (asked !== 'reject' && asked !== 'drop')) return undefined
  const inFilter = way.steps.filter(({ by, verdict }) => by === 'iptables filter' && verdict !== 'RETURN')
  const step = inFilter.at(-1)
  if (step?.verdict !== 'ACCEPT' || !isForeign(step, facts)) return undefined
  const entry = inFilter.filter(({ hook, chain }) => hook === step.hook && chain === hook).at(-1)
  const unasked = entry && jumpBehind(entry, facts)
  if (entry === undefined || unasked === undefined) return undefined
  const may = way.assumptions.length > 0
  return {
    code: 'foreignOrder',
    happens: onNode(
      facts.wanted?.plan,
      asked === 'reject'
        ? `${packetsText(facts.packet)} ${may ? 'may hang' : 'hang'} instead of being refused at once: another program accepts them first`
        : `${packetsText(facts.packet)} ${may ? 'may get through' : 'get through'} instead of being dropped: another program accepts them first`,
    ),
    why: `rule ${indexOf(entry, facts)} of ${entry.chain}${entry.jumpsTo === '' ? '' : ` (${entry.jumpsTo})`} accepts them before rule ${unasked.index} (${unasked.chain}) is asked, by which ${object} ${asked === 'reject' ? 'refuses' : 'drops'} them`,
    todo: `${asked === 'reject' ? helpService(service) : ''}${behindText(entry)}`,
    object,
    ...ruleOf(step),
  }
}

/** What is refused is served as soon as there are endpoints, whoever is asked first. */
function helpService(service: OfService): string {
  const words = `give ${service.object} endpoints: then nothing hangs`
  return serviceCommand(
    service,
    (namespace, name) =>
      `kubectl -n ${namespace} describe svc ${name} (${ANYWHERE}) shows its selector: as soon as a pod with these labels is ready nothing hangs; only if it has to be refused without one: `,
    `${words}; only if it has to be refused without any: `,
  )
}

/** The other program's jump behind those of kube-proxy. */
function behindText({ jumpsTo }: Step): string {
  const calico = `kubectl patch felixconfiguration default --type merge -p '{"spec":{"chainInsertMode":"Append"}}' (${ANYWHERE}; for all nodes: rules that other programs have in front then go before the policies of Calico)`
  return jumpsTo.startsWith('cali-') ? calico : `let that program put its rule behind kube-proxy's`
}

/** kube-proxy masquerades it, and what another program would have done to its source is not asked any more; or the other way round. */
function sourceTaken(way: Way, service: OfService, facts: PacketFacts): Answer | undefined {
  const { text, object } = service
  const behindNat = way.steps.filter(({ hook, by }) => hook === 'POSTROUTING' && by === 'iptables nat')
  const step = behindNat.at(-1)
  const entry = behindNat.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
  if (step === undefined || entry === undefined || !/^(?:MASQUERADE|SNAT)\b/.test(step.verdict)) return undefined
  const [other] = isForeign(step, facts) ? [jumpBehind(entry, facts)] : [facts.sourceBehind(entry)]
  if (other === undefined) return undefined
  const first = `rule ${indexOf(entry, facts)} of POSTROUTING${entry.jumpsTo === '' ? '' : ` (${entry.jumpsTo})`}`
  const [winner, loser] = isForeign(step, facts) ? ['another program', 'kube-proxy'] : ['kube-proxy', other.chain]
  return {
    code: 'sourceTakenFirst',
    happens: onNode(
      facts.wanted?.plan,
      `${packetsText(facts.packet)} get their source address from ${winner}, and ${loser}, which would set another one, is not asked`,
    ),
    why: `${first} changes the source of packets of ${object}, and the first that does is the last that is asked; rule ${other.index} (${other.chain}) comes too late`,
    todo: isForeign(step, facts)
      ? `let that program put its rule behind kube-proxy's, or leave out packets of ${text}`
      : keepSourceText(service, facts),
    object,
    ...ruleOf(step),
  }
}

/** Packets from outside keep their source with policy Local; of others the network plugin has to go first. */
function keepSourceText(service: OfService, { wanted }: PacketFacts): string {
  const words = 'let the network plugin put its rule first (its own settings say how)'
  const decision = wanted?.decision
  if (decision === undefined || !('frontend' in decision) || decision.frontend.kind === 'clusterIP') return words
  return serviceCommand(
    service,
    (namespace, name) =>
      `kubectl -n ${namespace} patch svc ${name} -p '{"spec":{"externalTrafficPolicy":"Local"}}' (${ANYWHERE}; for all clients: pods see their addresses, and only nodes with a pod of the Service answer); only if every node has to answer: ${words}`,
    words,
  )
}

function mayText({ assumptions }: Way, fate: string): string {
  return assumptions.length > 0 ? fate.replace(/^are /, 'may be ') : fate
}

function isForeign({ by, chain }: Step, { isOfKubernetes }: PacketFacts): boolean {
  return by.startsWith('iptables ') && !isOfKubernetes(`${by.slice('iptables '.length)}/${chain}`)
}

/** From 1 on, as iptables counts. */
function indexOf(step: Step, { rulesOf }: PacketFacts): number {
  return rulesOf(step).findIndex(({ text }) => text === step.text) + 1
}

/** The first rule behind this one in its chain that leads to a chain of kube-proxy. */
function jumpBehind(entry: Step, facts: PacketFacts): ChainAt | undefined {
  const table = entry.by.slice('iptables '.length)
  const rules = facts.rulesOf(entry)
  const from = indexOf(entry, facts)
  const wanted = entry.chain === 'POSTROUTING' ? 'KUBE-POSTROUTING' : 'KUBE-SERVICES'
  const index = rules.findIndex(
    ({ jumpsTo }, at) => at >= from && facts.isOfKubernetes(`${table}/${jumpsTo}`) && jumpsTo === wanted,
  )
  const found = rules[index]
  return found === undefined ? undefined : { chain: found.jumpsTo, index: index + 1 }
}

/** A chain, and which rule of a built-in chain leads to it. */
export interface ChainAt {
  readonly chain: string
  readonly index: number
}
