import { lazily } from '../../../internal/lazily.js'
import { type Branch, type Departed, DROPPED, depart, NEXT, type Station, withStep } from '../../netfilter/branch.js'
import { HOOK_PRIORITIES, HOOKS, type Hook } from '../../netfilter/hooks.js'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { Knowledge } from '../../netfilter/knowledge.js'
import type { IptablesState, Table } from '../ast.js'
import { ownedChainsOf } from '../chains.js'
import { missingOfChains } from './missing.js'
import { indexRules, type RulesFor } from './rule-index.js'
import { ruleSteps } from './rule-step.js'
import { runChain, type TableAtHook } from './run-chain.js'

/** The tables of a state as stations: one for each built-in chain. */
export function iptablesStations(state: IptablesState, knowledge: Knowledge): readonly Station[] {
  return state.tables.flatMap((table) => {
    const chain = chainsByName(table)
    const missing = knowledge.known === undefined ? undefined : missingOfChains(table, knowledge.known)
    return HOOKS.flatMap((hook) => {
      const priority = HOOK_PRIORITIES[table.name][hook]
      const atHook = {
        name: table.name,
        family: state.family,
        hook,
        knowledge,
        chain,
        missing,
        stepOf: ruleSteps(table.name, hook, state.family),
      }
      return priority === undefined ? [] : [{ hook, priority, visit: (branch: Branch) => visit(table, atHook, branch) }]
    })
  })
}

/** Indexed when they are first asked for: of most chains of a large table nobody does. */
function chainsByName(table: Table): TableAtHook['chain'] {
  const chains = lazily(() => ownedChainsOf(table))
  const indexed = new Map<string, RulesFor>()
  return (name) => {
    const known = indexed.get(name)
    const rules = known === undefined ? chains().get(name) : undefined
    if (rules === undefined) return known
    const rulesFor = indexRules(rules)
    indexed.set(name, rulesFor)
    return rulesFor
  }
}

function visit(table: Table, atHook: TableAtHook, branch: Branch): readonly Departed[] {
  const decides = decisionOf(table, atHook.hook)
  if (decides !== undefined && branch.packet[decides]) return [depart(branch, NEXT)]
  const departed = runChain(atHook, atHook.hook, branch).map(({ branch: ran, exit }) =>
    typeof exit === 'string' ? followPolicy(table, atHook, ran) : depart(ran, exit),
  )
  return decides === undefined ? departed : departed.map((each) => withDecision(each, decides))
}

type Decision = keyof Pick<KernelPacket, 'destinationDecided' | 'sourceDecided'>

/** What a table settles for the whole connection; undefined where it is asked about every packet. */
function decisionOf({ name }: Table, hook: Hook): Decision | undefined {
  if (name !== 'nat') return undefined
  return hook === 'PREROUTING' || hook === 'OUTPUT' ? 'destinationDecided' : 'sourceDecided'
}

function withDecision(departed: Departed, decision: Decision): Departed {
  return { ...departed, packet: { ...departed.packet, [decision]: true } }
}

const POLICY = { text: 'policy DROP', verdict: 'DROP', jumpsTo: '', comment: 'policy', owner: '' }

/** At the end of a built-in chain. */
function followPolicy({ name, policies }: Table, { hook }: TableAtHook, branch: Branch): Departed {
  const policy = policies?.find(({ chain }) => chain === hook)?.policy
  if (policy !== 'DROP') return depart(branch, NEXT)
  return depart(withStep(branch, { ...POLICY, hook, by: `iptables ${name}`, chain: hook }), DROPPED)
}
