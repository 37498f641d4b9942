import { HOOKS } from '../dataplane/netfilter/hooks.js'
import type { Answer } from './answer.js'
import { driftOf, type NodeAnswerFacts, servicesText } from './node-facts.js'
import { onNode } from './packet-facts.js'
import { restartOrScriptText } from './remedies.js'

/** What does not work without the jumps from built-in chains to a chain of kube-proxy. */
interface Consequence {
  readonly table: string
  readonly target: string
  /** By the built-in chains that lack the jump; of all together. */
  readonly happens: (chains: readonly string[]) => string
}

const CONSEQUENCES: readonly Consequence[] = [
  {
    table: 'nat',
    target: 'KUBE-SERVICES',
    happens: (chains) => {
      if (chains.length > 1) return 'no Service works'
      return chains[0] === 'OUTPUT'
        ? 'no Service works for the node itself'
        : 'no Service works for pods of the node and from outside'
    },
  },
  {
    table: 'nat',
    target: 'KUBE-POSTROUTING',
    happens: () =>
      'clients of Services wait for answers, which miss the node: nothing gets the address of the node as its source (masquerade)',
  },
  {
    table: 'filter',
    target: 'KUBE-SERVICES',
    happens: () => 'clients of Services without endpoints wait instead of being refused',
  },
  {
    table: 'filter',
    target: 'KUBE-FORWARD',
    happens: () => 'packets of Services may be dropped by other rules, where the node forwards them',
  },
]

/** Built-in chains that do not jump to a chain that is there. */
export function missingJumpAnswers(facts: NodeAnswerFacts): readonly Answer[] {
  const services = servicesText(facts)
  const missing = driftOf(facts, 'missing')
  if (services === undefined) return []
  return CONSEQUENCES.flatMap(({ table, target, happens }): readonly Answer[] => {
    // Where the chain is missing, too, that is another matter.
    if (missing.some(({ place }) => place === `${table}/${target}`)) return []
    const chains = missing.flatMap(({ place, wanted = '' }) =>
      place.startsWith(`${table}/`) &&
      wanted.startsWith(`-A ${place.slice(table.length + 1)} `) &&
      wanted.endsWith(` -j ${target}`)
        ? place.slice(table.length + 1)
        : [],
    )
    if (chains.length === 0) return []
    const sorted = [...chains].sort(byHook)
    const rule = `${table}/${target}`
    return [
      {
        code: 'missingJumps',
        happens: onNode(
          facts.plan,
          `${happens(sorted)}: what sends packets to kube-proxy's rules is gone (from ${sorted.join(' and ')} of table ${table})`,
        ),
        why: `the rules themselves, for ${services.text}, are there (${target}), but nothing leads to them; often a firewall that was loaded again has taken that away`,
        todo: restartOrScriptText(facts.plan, LASTS),
        object: services.first,
        rule,
        ruleIs: `there, but not led to from ${sorted.join(' and ')}`,
      },
    ]
  })
}

const LASTS = 'it lasts until that firewall is loaded again, so look for it, on other nodes too'

const ORDER: readonly string[] = HOOKS

function byHook(a: string, b: string): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b)
}
