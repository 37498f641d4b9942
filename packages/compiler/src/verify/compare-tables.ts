import type { IptablesState, Rule, Table } from '../dataplane/iptables/ast.js'
import { BUILT_IN_CHAINS, isBuiltInChain } from '../dataplane/iptables/built-in-chains.js'
import { canonicalRule } from '../dataplane/iptables/canonical.js'
import { printRule } from '../dataplane/iptables/print.js'
import { chainId, chainResource, jumpsResource } from '../dataplane/iptables/resources.js'
import type { ResourcePair } from '../diff/diff.js'
import { sameValue } from '../diff/resource.js'
import { lazily } from '../internal/lazily.js'
import { attributeRules } from '../targets/iptables/attribute-rules.js'
import { LOCALNET_FIREWALL_CHAIN } from '../targets/iptables/chain-names.js'
import { alignChain, type Line } from './align-chain.js'
import { compareLines, type LineChange } from './compare-lines.js'
import type { Comparison, Finding } from './finding.js'
import { isKubeProxyChain, isOtherKubeChain } from './kube-proxy-chains.js'
import { type LiveChains, liveChains } from './live-chains.js'
import { changedReason, extraReason, MISPLACED_REASON, missingReason } from './reasons.js'
import type { Unverified } from './report.js'
import { type WantedChain, wantedChains } from './wanted-chains.js'

export interface TableComparison extends Comparison {
  readonly otherChains: readonly string[]
}

/** Compares the tables that were compiled with those that were dumped; other tables are not looked at. */
export function compareTables(wanted: IptablesState, live: IptablesState): TableComparison {
  const owners = lazily(() => liveOwners(live))
  const comparisons = wanted.tables.map((table) => {
    const found = live.tables.find(({ name }) => name === table.name)
    if (found === undefined) return { ...NOTHING, unverified: [tableUnverified(table)] }
    return compareTable({ wanted: table, live: found, family: wanted.family, owners })
  })
  return {
    findings: comparisons.flatMap(({ findings }) => findings),
    pairs: comparisons.flatMap(({ pairs }) => pairs),
    unverified: comparisons.flatMap(({ unverified }) => unverified),
    otherChains: comparisons.flatMap(({ otherChains }) => otherChains),
  }
}

const NOTHING: TableComparison = { findings: [], pairs: [], unverified: [], otherChains: [] }

function tableUnverified({ name }: Table): Unverified {
  return { part: `iptables ${name}` as Unverified['part'], reason: `the dump has no table ${name}` }
}

/** Two tables of one name. */
interface TablePair {
  readonly wanted: Table
  readonly live: Table
  readonly family: IptablesState['family']
  /** Asked for only where something is not as it should be. */
  readonly owners: () => LiveOwners
}

interface LiveOwners {
  readonly chains: ReadonlyMap<string, string>
  readonly rules: ReadonlyMap<Rule, string>
}

function liveOwners(live: IptablesState): LiveOwners {
  const blocks = attributeRules(live).tables.flatMap((table) => table.blocks)
  return {
    chains: new Map(blocks.flatMap(({ owner, chains }) => chains.map((chain) => [chain, owner] as const))),
    rules: new Map(blocks.flatMap(({ owner, rules }) => rules.map((rule) => [rule, owner] as const))),
  }
}

function compareTable(pair: TablePair): TableComparison {
  const { name } = pair.wanted
  const live = liveChains(pair.live)
  const wanted = new Set<string>()
  const parts: ChainComparison[] = []
  for (const chain of wantedChains(pair.wanted)) {
    wanted.add(chain.name)
    const comparison = compareChain(pair, chain, live.rulesOf(chain.name))
    if (comparison !== AS_WANTED) parts.push(comparison)
  }
  const others = [...live.names].filter((chain) => !wanted.has(chain) && !isBuiltInChain(name, chain))
  parts.push(...BUILT_IN_CHAINS[name].map((chain) => compareJumps(pair, chain, wanted)))
  for (const stale of compareOthers(pair, others, live)) parts.push(stale)
  return {
    findings: parts.flatMap(({ findings }) => findings),
    pairs: parts.flatMap(({ pairs }) => pairs),
    unverified: [],
    otherChains: others.filter(isOtherKubeChain).map((chain) => chainId(name, chain)),
  }
}

/** What is wrong with one chain, and the chain as it is and as it should be. */
interface ChainComparison {
  readonly findings: readonly Finding[]
  readonly pairs: readonly ResourcePair[]
}

const AS_WANTED: ChainComparison = { findings: [], pairs: [] }

function compareChain(pair: TablePair, wanted: WantedChain, live: readonly Rule[] | undefined): ChainComparison {
  const { name, owner } = wanted
  if (live === undefined) return missingChain(pair, wanted)
  if (isAsWanted(wanted.rules, live, pair.family)) return AS_WANTED
  const lines = wanted.rules.map((rule, index) => lineOf(rule, owner || (wanted.owners[index] ?? ''), pair))
  const found = live.map((rule) => lineOf(rule, owner, pair))
  const target = name === LOCALNET_FIREWALL_CHAIN ? withOthers(lines, found) : alignChain(lines, found)
  const changes = compareLines(found, target)
  if (changes.length === 0) return AS_WANTED
  const ownerOf = (line: Line) => line.owner || (pair.owners().rules.get(live[found.indexOf(line)] as Rule) ?? '')
  const resource = (rules: readonly Line[]) => chainResource(pair.wanted.name, name, rulesOf(rules))
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

function lineOf(rule: Rule, owner: string, { family }: TablePair): Line {
  const canonical = canonicalRule(rule, family)
  const text = printRule(canonical, 'save', family)
  return { rule: canonical, text, owner, group: isRefusal(rule) && owner !== '' ? `${owner} ${text}` : owner }
}

/** Refusals of one service port may stand in any order: whichever applies first, the packet is refused. */
function isRefusal({ verdict }: Rule): boolean {
  return verdict?.kind === 'reject' || verdict?.kind === 'drop'
}

function rulesOf(lines: readonly Line[]): readonly Rule[] {
  return lines.map(({ rule }) => rule)
}

/** The chain is the kubelet's too: what else is in it stays. */
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

function findingOf(
  { kind, wanted, found }: LineChange,
  place: string,
  ownerOf: (line: Line) => string = ({ owner }) => owner,
): Finding {
  return {
    servicePort: wanted === undefined ? ownerOf(found as Line) : wanted.owner,
    drift: {
      language: 'iptables',
      place,
      kind,
      ...(wanted && { wanted: wanted.text }),
      ...(found && { found: found.text }),
      reason: reasonOf(kind, wanted, found),
    },
  }
}

function reasonOf(kind: LineChange['kind'], wanted: Line | undefined, found: Line | undefined): string {
  if (kind === 'misplaced') return MISPLACED_REASON
  if (wanted !== undefined && found !== undefined) return changedReason(wanted.rule, found.rule)
  return wanted === undefined ? extraReason((found as Line).rule) : missingReason(wanted.rule)
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

function chainText(chain: string, lines: readonly Line[]): string {
  return [`:${chain} - [0:0]`, ...lines.map(({ text }) => text)].join('\n')
}

/**
 * Our jumps in one built-in chain: those to wanted chains, and those to chains that kube-proxy may have left over. The jump
 * to KUBE-FIREWALL stands where the kubelet or kube-proxy put it first, which is no matter.
 */
function compareJumps(pair: TablePair, chain: string, wanted: ReadonlySet<string>): ChainComparison {
  const isOurs = ({ verdict }: Rule) =>
    (verdict?.kind === 'jump' || verdict?.kind === 'goto') &&
    (wanted.has(verdict.chain) || isKubeProxyChain(verdict.chain))
  const jumpsIn = ({ jumps }: Table) => jumps.filter((rule) => rule.chain === chain && isOurs(rule))
  const lines = (rules: readonly Rule[]) =>
    rules.map((rule): Line => ({ ...lineOf(rule, '', pair), group: groupOfJump(rule) }))
  const found = lines(jumpsIn(pair.live))
  const target = alignChain(lines(jumpsIn(pair.wanted)), found)
  const findings = compareLines(found, target).map((change) => findingOf(change, chainId(pair.wanted.name, chain)))
  if (findings.length === 0) return AS_WANTED
  const [before] = jumpsResource(pair.wanted.name, chain, rulesOf(found))
  const [after] = jumpsResource(pair.wanted.name, chain, rulesOf(target))
  return { findings, pairs: [{ before, after }] }
}

/** Jumps of one group have an order among them. */
function groupOfJump({ verdict }: Rule): string {
  return verdict?.kind === 'jump' && verdict.chain === LOCALNET_FIREWALL_CHAIN ? 'kubelet' : 'kube-proxy'
}

/** Chains of kube-proxy that nobody wants. One to which a rule of others leads cannot be removed. */
function compareOthers(pair: TablePair, others: readonly string[], live: LiveChains): readonly ChainComparison[] {
  const { name } = pair.wanted
  const stale = others.filter(isKubeProxyChain)
  if (stale.length === 0) return []
  const rulesIn = (chain: string) => live.rulesOf(chain) ?? []
  const held = destinationsOf(others.filter((chain) => !isKubeProxyChain(chain)).flatMap(rulesIn))
  return stale.map((chain) => {
    const rules = rulesIn(chain)
    const lines = rules.map((rule) => lineOf(rule, '', pair))
    const holder = held.get(chain)
    const note = holder === undefined ? '' : `; it cannot be removed, because ${holder} leads to it`
    const drift = {
      language: 'iptables',
      place: chainId(name, chain),
      kind: 'extra',
      found: chainText(chain, lines),
      reason: `a chain that kube-proxy would have removed${note}`,
    } as const
    const before = chainResource(name, chain, rulesOf(lines))
    const empty = chainResource(name, chain, [])
    const pairs = holder === undefined ? [{ before }] : rules.length === 0 ? [] : [{ before, after: empty }]
    return { findings: [{ servicePort: pair.owners().chains.get(chain) ?? '', drift }], pairs }
  })
}

/** The chains that rules lead to, each with the chain of one such rule. */
function destinationsOf(rules: readonly Rule[]): ReadonlyMap<string, string> {
  return new Map(
    rules.flatMap(({ chain, verdict }) =>
      verdict?.kind === 'jump' || verdict?.kind === 'goto' ? [[verdict.chain, chain] as const] : [],
    ),
  )
}
