import type { Answer } from './answer.js'
import { driftOf, type NodeAnswerFacts, ownChainsOf, servicesText, tableOf } from './node-facts.js'
import { restartText, SCRIPT } from './remedies.js'

const CANARY = 'KUBE-PROXY-CANARY'

/** The table nat without anything of kube-proxy, which notices only where it looks. */
export function emptiedTableAnswer(facts: NodeAnswerFacts): Answer | undefined {
  const services = servicesText(facts)
  const isMissing = driftOf(facts, 'missing').some(({ place }) => place === 'nat/KUBE-SERVICES')
  if (services === undefined || !isMissing || keptOf(facts, 'nat').length > 0) return undefined
  const isUnnoticed = keptOf(facts, 'filter').length > 0 && keptOf(facts, 'mangle').includes(CANARY)
  return isUnnoticed ? unnoticed(services, facts) : nothingThere(services)
}

/** The chains of kube-proxy, or with names like these, that a table has. */
function keptOf({ live: { iptables } }: NodeAnswerFacts, name: 'nat' | 'filter' | 'mangle'): readonly string[] {
  const table = tableOf(iptables, name)
  return table === undefined ? [] : ownChainsOf(table).filter((chain) => chain.startsWith('KUBE-'))
}

type ServicesText = NonNullable<ReturnType<typeof servicesText>>

function unnoticed({ text, first }: ServicesText, { plan }: NodeAnswerFacts): Answer {
  const rule = `mangle/${CANARY}`
  return {
    code: 'emptiedTable',
    happens: 'No Service works on this node: nat was emptied, and kube-proxy does not notice',
    why: `nat has no chain for ${text}, and all that kube-proxy looks for is ${rule}, which is there`,
    todo: `${restartText(plan)}, ${SCRIPT}; before 1.33 kube-proxy never writes everything again by itself, from then on once an hour`,
    object: first,
    rule,
  }
}

function nothingThere({ text, first }: ServicesText): Answer {
  const rule = 'nat/KUBE-SERVICES'
  return {
    code: 'noRules',
    happens: 'No Service works on this node: nat has nothing of kube-proxy',
    why: `${rule}, which leads to ${text}, is not there, nor any other chain of kube-proxy`,
    todo: 'see whether kube-proxy runs on this node and what its log says (kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide); --script prints what is missing',
    object: first,
    rule,
  }
}
