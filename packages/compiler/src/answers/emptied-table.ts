import type { Answer } from './answer.js'
import { driftOf, type NodeAnswerFacts, ownChainsOf, servicesText, tableOf } from './node-facts.js'
import { onNode } from './packet-facts.js'
import { ANYWHERE, isName, restartOrScriptText, scriptText } from './remedies.js'

const CANARY = 'KUBE-PROXY-CANARY'

/** The table nat without anything of kube-proxy, which notices only where it looks. */
export function emptiedTableAnswer(facts: NodeAnswerFacts): Answer | undefined {
  const services = servicesText(facts)
  const isMissing = driftOf(facts, 'missing').some(({ place }) => place === 'nat/KUBE-SERVICES')
  if (services === undefined || !isMissing || keptOf(facts, 'nat').length > 0) return undefined
  const isUnnoticed = keptOf(facts, 'filter').length > 0 && keptOf(facts, 'mangle').includes(CANARY)
  return isUnnoticed ? unnoticed(services, facts) : nothingThere(services, facts)
}

/** The chains of kube-proxy, or with names like these, that a table has. */
function keptOf({ live: { iptables } }: NodeAnswerFacts, name: 'nat' | 'filter' | 'mangle'): readonly string[] {
  const table = tableOf(iptables, name)
  return table === undefined ? [] : ownChainsOf(table).filter((chain) => chain.startsWith('KUBE-'))
}

type ServicesText = NonNullable<ReturnType<typeof servicesText>>

function unnoticed({ text, first }: ServicesText, { plan }: NodeAnswerFacts): Answer {
  return {
    code: 'emptiedTable',
    happens: onNode(
      plan,
      'no Service works: its rules were taken away (table nat was emptied), and kube-proxy does not notice',
    ),
    why: `nothing is there for ${text}; kube-proxy only looks whether ${CANARY} is in table mangle, and it is; before 1.33 it never writes all rules again by itself, and since 1.33 once an hour`,
    todo: restartOrScriptText(plan),
    object: first,
    rule: `mangle/${CANARY}`,
    ruleIs: 'all that kube-proxy looks for',
  }
}

function nothingThere({ text, first }: ServicesText, { plan }: NodeAnswerFacts): Answer {
  const { name } = plan.node
  const here = isName(name) ? ` --field-selector spec.nodeName=${name}` : ''
  return {
    code: 'noRules',
    happens: onNode(plan, 'no Service works: kube-proxy has no rules there (in table nat)'),
    why: `nothing leads to ${text}: kube-proxy does not run there, or cannot write`,
    todo: `kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide${here} (${ANYWHERE}, if kubeadm made the cluster) shows whether kube-proxy runs; only if it does: kubectl -n kube-system logs with the name of that pod says why it does not write; ${scriptText(plan)}`,
    object: first,
    rule: 'nat/KUBE-SERVICES',
    ruleIs: 'missing',
  }
}
