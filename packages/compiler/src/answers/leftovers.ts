import { chainOfId } from '../dataplane/iptables/resources.js'
import type { Step } from '../dataplane/netfilter/branch.js'
import type { ServicePlan } from '../plan/plan.js'
import { servicePortText } from '../services/service-port-text.js'
import type { Answer } from './answer.js'
import { driftOf, type NodeAnswerFacts, type OwnedDrift, servicesText } from './node-facts.js'
import { ruleText, serviceText } from './packet-facts.js'

const REMEDY =
  'run kube-proxy --cleanup on this node and start kube-proxy again, or run there as root what --script prints'

/** What another mode has left on the node, and whom that refuses. */
export function leftoverAnswer(facts: NodeAnswerFacts): Answer | undefined {
  const { mode } = facts
  const extra = driftOf(facts, 'extra').filter(({ language }) => language === 'iptables')
  const [other] = facts.modesOfOne(extra.map(({ place }) => place)).filter((name) => name !== mode)
  if (other === undefined) return undefined
  const rules = extra.flatMap(rulesOf)
  const count = `Mode ${other} has left ${rules.length === 1 ? '1 rule' : `${rules.length} rules`} on this node`
  const refused = refusedBy(facts, new Set(rules))
  if (refused !== undefined) {
    const { service, step } = refused
    const object = serviceText(service.id)
    const endpoints = service.reachable.length === 1 ? '1 endpoint' : `${service.reachable.length} endpoints`
    return {
      code: 'leftovers',
      happens: `${count}, and ${step.by.replace('iptables ', '')}/${step.chain} refuses ${servicePortText(service.id)} before ${mode} is asked`,
      why: `${object} has ${endpoints}; kube-proxy does not clean up when its mode is changed (${ruleText(step)})`,
      todo: REMEDY,
      object,
      rule: step.text,
    }
  }
  const chain = extra.find(({ place }) => chainOfId(place).chain.startsWith('KUBE-'))
  const services = servicesText(facts)
  if (chain === undefined || services === undefined) return undefined
  return {
    code: 'leftovers',
    happens: count,
    why: `mode ${mode}, by which ${services.text} is served, makes nothing like ${chain.place}; kube-proxy does not clean up when its mode is changed`,
    todo: REMEDY,
    object: services.first,
    rule: chain.place,
  }
}

function rulesOf({ found = '' }: OwnedDrift): readonly string[] {
  return found.split('\n').filter((line) => line.startsWith('-A '))
}

/** A service port with endpoints that one of the rules refuses. */
function refusedBy(
  { plan, waysTo }: NodeAnswerFacts,
  rules: ReadonlySet<string>,
): { readonly service: ServicePlan; readonly step: Step } | undefined {
  const refusing = [...rules].filter((rule) => / -j (?:REJECT|DROP)\b/.test(rule))
  for (const service of plan.services) {
    // Such rules name whom they refuse; a large node has many service ports.
    if (service.reachable.length === 0 || !refusing.some((rule) => rule.includes(service.id.text))) continue
    for (const { outcome, steps } of waysTo(service)) {
      const step = steps.at(-1)
      if ((outcome.kind === 'rejected' || outcome.kind === 'dropped') && step !== undefined && rules.has(step.text)) {
        return { service, step }
      }
    }
  }
  return undefined
}
