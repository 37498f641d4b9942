import type { Step } from '../dataplane/netfilter/branch.js'
import type { ServicePortId } from '../services/service-port.js'
import type { Way } from '../trace/trace.js'
import type { Answer } from './answer.js'
import { fateText, type PacketFacts, packetsText, ruleText, serviceText } from './packet-facts.js'

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
}

function serviceOf({ ways, wanted }: PacketFacts): OfService | undefined {
  const decided = wanted !== undefined && 'servicePort' in wanted.decision ? wanted.decision.servicePort : undefined
  if (decided !== undefined) return { text: decided.text, object: serviceText(decided) }
  const owner = ways.flatMap(({ steps }) => steps.map((step) => step.owner)).find((each) => each !== '')
  const [, namespace, name] = /^([^/]+)\/([^/:]+)/.exec(owner ?? '') ?? []
  if (owner === undefined || namespace === undefined || name === undefined) return undefined
  const id: Pick<ServicePortId, 'namespace' | 'name'> = { namespace, name }
  return { text: owner.replace(/\/[A-Z]+$/, ''), object: serviceText(id as ServicePortId) }
}

/** It was sent to an endpoint, and then another program's rule refuses or drops it. */
function refusedBehind(way: Way, { text, object }: OfService, facts: PacketFacts): Answer | undefined {
  const step = way.steps.at(-1)
  const { kind } = way.outcome
  if (step === undefined || (kind !== 'rejected' && kind !== 'dropped') || !isForeign(step, facts)) return undefined
  const sent = way.steps.find(({ verdict }) => verdict.startsWith('DNAT '))
  const fate = fateText([way])
  const by = `${placeText(step, facts)}, which is not kube-proxy's,`
  return {
    code: 'foreignRule',
    happens: `${packetsText(facts.packet)} ${mayText(way, fate)} by a rule that is not kube-proxy's`,
    why:
      sent === undefined
        ? `${by} ${step.verdict.startsWith('REJECT') ? 'refuses' : 'drops'} them before a rule of ${object} is asked (${ruleText(step)})`
        : `the rules of ${object} send them to ${sent.verdict.split(' ').at(-1)}; then ${by} says ${step.verdict} (${ruleText(step)})`,
    todo: `let that program accept packets of ${text} before this rule, those of pods and to pods at least, or switch it off`,
    object,
    rule: step.text,
  }
}

/** A rule of another program accepts it in a built-in chain, so that rules of kube-proxy behind are not asked. */
function endedBefore(way: Way, { text, object }: OfService, facts: PacketFacts): Answer | undefined {
  const asked = facts.wanted?.decision.outcome
  if (way.outcome.kind !== 'passes' || (asked !== 'reject' && asked !== 'drop')) return undefined
  const inFilter = way.steps.filter(({ by, verdict }) => by === 'iptables filter' && verdict !== 'RETURN')
  const step = inFilter.at(-1)
  if (step?.verdict !== 'ACCEPT' || !isForeign(step, facts)) return undefined
  const entry = inFilter.filter(({ hook, chain }) => hook === step.hook && chain === hook).at(-1)
  const unasked = entry && jumpBehind(entry, facts)
  if (entry === undefined || unasked === undefined) return undefined
  const wish = asked === 'reject' ? 'refused' : 'dropped'
  return {
    code: 'foreignOrder',
    happens: `${packetsText(facts.packet)} ${way.assumptions.length > 0 ? 'may not be' : 'are not'} ${wish}, as ${text} asks: they leave the node as they are and get no answer`,
    why: `${entry.jumpsTo === '' ? 'another program' : entry.jumpsTo} (rule ${indexOf(entry, facts)} of ${entry.chain}) accepts them before ${unasked.chain} (rule ${unasked.index}), which has the rule of ${object}, is asked (${ruleText(step)})`,
    todo: 'let that program append its jump to the built-in chain and not put it first (Calico: chainInsertMode Append)',
    object,
    rule: step.text,
  }
}

/** kube-proxy masquerades it, and what another program would have done to its source is not asked any more; or the other way round. */
function sourceTaken(way: Way, { text, object }: OfService, facts: PacketFacts): Answer | undefined {
  const behindNat = way.steps.filter(({ hook, by }) => hook === 'POSTROUTING' && by === 'iptables nat')
  const step = behindNat.at(-1)
  const entry = behindNat.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
  if (step === undefined || entry === undefined || !/^(?:MASQUERADE|SNAT)\b/.test(step.verdict)) return undefined
  const [other] = isForeign(step, facts) ? [jumpBehind(entry, facts)] : [facts.sourceBehind(entry)]
  if (other === undefined) return undefined
  const first = entry.jumpsTo === '' ? 'another program' : entry.jumpsTo
  return {
    code: 'sourceTakenFirst',
    happens: `${packetsText(facts.packet)} get another source by ${first}, and ${other.chain} never sees them`,
    why: `${first} (rule ${indexOf(entry, facts)} of POSTROUTING) changes the source of packets of ${object}, which ends the chain; ${other.chain} (rule ${other.index}) would change it too (${ruleText(step)})`,
    todo: isForeign(step, facts)
      ? `let that program put its rule behind kube-proxy's, or leave out packets of ${text}`
      : 'let the network plugin put its chain first if its source is the right one; with externalTrafficPolicy Local kube-proxy does not masquerade',
    object,
    rule: step.text,
  }
}

function mayText({ assumptions }: Way, fate: string): string {
  return assumptions.length > 0 ? fate.replace(/^are /, 'may be ') : fate
}

function isForeign({ by, chain }: Step, { isOfKubernetes }: PacketFacts): boolean {
  return by.startsWith('iptables ') && !isOfKubernetes(`${by.slice('iptables '.length)}/${chain}`)
}

/** `rule 9 of INPUT`. */
function placeText(step: Step, facts: PacketFacts): string {
  return `rule ${indexOf(step, facts)} of ${step.chain}`
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
