import { HOOKS } from '../dataplane/netfilter/hooks.js'
import type { Answer } from './answer.js'
import { driftOf, type NodeAnswerFacts, servicesText } from './node-facts.js'
import { restartText, SCRIPT } from './remedies.js'

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
      if (chains.length > 1) return 'No Service works on this node'
      return chains[0] === 'OUTPUT'
        ? 'No Service works for the node itself'
        : 'No Service works for pods of this node and from outside'
    },
  },
  {
    table: 'nat',
    target: 'KUBE-POSTROUTING',
    happens: () => 'Nothing that is sent to Services is masqueraded, so that answers miss this node',
  },
  {
    table: 'filter',
    target: 'KUBE-SERVICES',
    happens: () => 'Services without endpoints are not refused, so that clients wait',
  },
  {
    table: 'filter',
    target: 'KUBE-FORWARD',
    happens: () =>
      'Packets of Services are not accepted where the node forwards them, so that other rules may drop them',
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
        happens: `${happens(sorted)}: ${sorted.join(' and ')} of ${table} ${sorted.length > 1 ? 'do' : 'does'} not jump to ${target}`,
        why: `${rule}, a list of rules that kube-proxy makes, is there with those of ${services.text}, but the kernel's own ${sorted.length > 1 ? 'lists, with which packets begin, lead' : `list ${sorted[0]}, with which packets begin, leads`} nobody there`,
        todo: `${restartText(facts.plan)}, which puts the jumps back, ${SCRIPT}; then find out who takes them away, often a firewall that is loaded again`,
        object: services.first,
        rule,
      },
    ]
  })
}

const ORDER: readonly string[] = HOOKS

function byHook(a: string, b: string): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b)
}
