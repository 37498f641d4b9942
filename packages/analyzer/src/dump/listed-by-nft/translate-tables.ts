import type { ChainPolicy, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import {
  BUILT_IN_CHAINS,
  isBuiltInChain,
  TABLE_NAMES,
} from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import type { StateCoverage } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type * as nft from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import {
  formatChainId as formatNftChainId,
  formatTableId,
} from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { Dump, NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { FAMILY_KEYWORDS } from '@kube-rules/compiler/internal/targets/nftables/statements'
import { isKubeProxyTable } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import type { PasteNote } from '../../dataplane/netfilter/pasted.js'
import { translateRule } from './translate-rule.js'

/** A dump with tables of iptables. */
export interface TranslatedDump {
  readonly dump: Dump
  readonly notes: readonly PasteNote[]
}

/**
 * Translates the tables of iptables-nft to iptables if the dump has them only as nft lists them. nft prints some matches
 * without their options: whether a packet has these is then unknown.
 */
export function translateTablesListedByNft(dump: Dump): TranslatedDump {
  const [first, second] = [translateState(dump.IPv4), translateState(dump.IPv6)]
  if (first === undefined && second === undefined) return { dump, notes: [] }
  const message =
    'nft lists the rules of iptables without comments and without some of their options; iptables-save prints all'
  return {
    dump: { IPv4: first ?? dump.IPv4, IPv6: second ?? dump.IPv6 },
    notes: [{ code: 'listedByNft', text: 0, line: 1, message }],
  }
}

function translateState(state: NodeState): NodeState | undefined {
  const { family, nftables, coverage } = state
  const { header } = FAMILY_KEYWORDS[family]
  const isOwn = (table: nft.Table) => table.family === header && nameOf(table) !== undefined
  const tables = nftables?.tables.filter(isOwn) ?? []
  const others = nftables?.tables.filter((table) => !isOwn(table)) ?? []
  const isOfOtherMode = others.some(isKubeProxyTable)
  if (state.iptables !== undefined || isOfOtherMode || !tables.some(hasServiceChains)) return undefined
  const { nftables: _, ...rest } = state
  const translated = tables.flatMap((table) => translateTable(table) ?? [])
  return {
    ...rest,
    iptables: { family, tables: translated },
    ...(others.length > 0 && { nftables: { tables: others } }),
    coverage: coverageOf(translated, coverage, header),
  }
}

/** Reports whether a table has the chains of kube-proxy in a mode with iptables. */
function hasServiceChains({ name, chains }: nft.Table): boolean {
  return name === 'nat' && chains.some((chain) => SERVICE_CHAIN.test(chain.name))
}

const SERVICE_CHAIN = /^KUBE-(?:SERVICES$|SVC-|PORTALS-)/

function nameOf({ name }: nft.Table): Table['name'] | undefined {
  return TABLE_NAMES.find((each) => each === name)
}

function translateTable(listed: nft.Table): Table | undefined {
  const name = nameOf(listed)
  if (name === undefined) return undefined
  const builtIn = listed.chains.filter((chain) => isBuiltInChain(name, chain.name))
  const own = listed.chains.filter((chain) => !isBuiltInChain(name, chain.name))
  const policies = builtIn.flatMap(({ name: chain, base }): readonly ChainPolicy[] =>
    base?.policy === 'drop' ? [{ chain, policy: 'DROP' }] : [],
  )
  return {
    name,
    ...(policies.length > 0 && { policies }),
    jumps: translateRules(builtIn),
    blocks: [{ owner: '', chains: own.map((chain) => chain.name), rules: translateRules(own) }],
  }
}

function translateRules(chains: readonly nft.Chain[]): readonly Rule[] {
  return chains.flatMap(({ name, rules }) => rules.map((rule) => translateRule(rule, name)))
}

/** Returns the coverage of the translated tables: of all, or of the tables and chains that an excerpt has completely. */
function coverageOf(tables: readonly Table[], listed: StateCoverage | undefined, header: 'ip' | 'ip6'): StateCoverage {
  if (listed === undefined) return { complete: ['iptables'], isListedByNft: true }
  const complete = tables.flatMap(({ name, blocks }) => {
    const key = { family: header, name }
    const chains = [...BUILT_IN_CHAINS[name], ...blocks.flatMap((block) => block.chains)]
    const whole = chains.filter((chain) => listed.complete.includes(formatNftChainId(key, chain)))
    return [
      ...(listed.complete.includes(formatTableId(key)) ? [name] : []),
      ...whole.map((chain) => formatChainId(name, chain)),
    ]
  })
  return { complete, isListedByNft: true }
}
