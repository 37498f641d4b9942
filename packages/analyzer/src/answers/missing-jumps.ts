import { HOOKS } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Answer } from './answer.js'
import { driftOf, type NodeAnswerFacts, servicesText } from './node-facts.js'
import { onNode } from './packet-facts.js'
import { restartStep, scriptStep } from './remedies.js'

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
        : 'no Service works for pods on the node and external clients'
    },
  },
  {
    table: 'nat',
    target: 'KUBE-POSTROUTING',
    happens: () => 'clients of Services get no replies, because no packet is masqueraded',
  },
  {
    table: 'filter',
    target: 'KUBE-SERVICES',
    happens: () => 'clients of Services without endpoints time out instead of being rejected',
  },
  {
    table: 'filter',
    target: 'KUBE-FORWARD',
    happens: () => 'other rules may drop forwarded packets of Services',
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
          `${happens(sorted)}: the jump to ${target} is missing in ${sorted.join(' and ')} of table ${table}`,
        ),
        why: `the rules of ${services.text} exist, but packets do not reach them; a firewall that reloads its rules often removes such jumps`,
        steps: [restartStep(facts.plan), scriptStep(facts.plan, 'If that does not help'), FIREWALL_STEP],
        object: services.first,
        rule,
        ruleIs: `exists, but without a jump from ${sorted.join(' and ')}`,
      },
    ]
  })
}

const FIREWALL_STEP = {
  text: 'For a permanent fix, find the firewall that removes the jumps, on other nodes too',
}

const ORDER: readonly string[] = HOOKS

function byHook(a: string, b: string): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b)
}
