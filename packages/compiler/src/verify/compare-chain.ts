import type { IptablesState, Rule } from '../dataplane/iptables/ast.js'
import { canonicalRule } from '../dataplane/iptables/canonical.js'
import { chainId, chainResource } from '../dataplane/iptables/resources.js'
import { sameValue } from '../diff/resource.js'
import { isSharedWithKubelet } from '../targets/iptables/chain-names.js'
import { alignChain, type Line } from './align-chain.js'
import { compareLines } from './compare-lines.js'
import { chainText, findingOf, lineOf, rulesOf } from './rule-lines.js'
import { AS_WANTED, type ChainComparison, type TablePair } from './table-pair.js'
import type { WantedChain } from './wanted-chains.js'

/** Compares a chain that is not built in with what the node holds of it. */
export function compareChain(pair: TablePair, wanted: WantedChain, live: readonly Rule[] | undefined): ChainComparison {
  const { name, owner } = wanted
  if (live === undefined) return missingChain(pair, wanted)
  if (isAsWanted(wanted.rules, live, pair.family)) return AS_WANTED
  const lines = wanted.rules.map((rule, index) => lineOf(rule, owner || (wanted.owners[index] ?? ''), pair))
  const found = live.map((rule) => lineOf(rule, owner, pair))
  const target = isSharedWithKubelet(name) ? withOthers(lines, found) : alignChain(lines, found)
  const changes = compareLines(found, target)
  if (changes.length === 0) return AS_WANTED
  const rules = new Map(found.map((line, index) => [line, live[index] as Rule]))
  const ownerOf = (line: Line) => line.owner || (pair.owners().rules.get(rules.get(line) as Rule) ?? '')
  const resource = (of: readonly Line[]) => chainResource(pair.wanted.name, name, rulesOf(of))
  return {
    findings: changes.map((change) => findingOf(change, chainId(pair.wanted.name, name), ownerOf)),
    pairs: [{ before: resource(found), after: resource(target) }],
  }
}

function isAsWanted(wanted: readonly Rule[], live: readonly Rule[], family: IptablesState['family']): boolean {
  if (wanted.length !== live.length) return false
  return wanted.every((rule, index) => {
    const canonical = canonicalRule(rule, family)
    const found = live[index] as Rule
    return sameValue(canonical, found) || sameValue(canonical, canonicalRule(found, family))
  })
}

/** What else is in a chain that is shared with the kubelet stays. */
function withOthers(wanted: readonly Line[], live: readonly Line[]): readonly Line[] {
  const texts = new Set(wanted.map(({ text }) => text))
  const present = new Set<string>()
  const kept = live.filter(({ text }) => {
    if (!texts.has(text)) return true
    if (present.has(text)) return false
    present.add(text)
    return true
  })
  return [...kept, ...wanted.filter(({ text }) => !present.has(text))]
}

function missingChain(pair: TablePair, { name, owner, rules }: WantedChain): ChainComparison {
  const lines = rules.map((rule) => lineOf(rule, owner, pair))
  const place = chainId(pair.wanted.name, name)
  const drift = {
    language: 'iptables',
    place,
    kind: 'missing',
    wanted: chainText(name, lines),
    reason: 'the chain is missing with all its rules',
  } as const
  return {
    findings: [{ servicePort: owner, drift }],
    pairs: [{ after: chainResource(pair.wanted.name, name, rulesOf(lines)) }],
  }
}
