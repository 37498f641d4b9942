import type { ChainPolicy, Rule, Table, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { isPlainWord, unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { parseRule } from './parse-rule.js'
import type { RuleContext } from './parse-target.js'
import type { IptablesProblemCode } from './problem.js'

/** A table during parsing. */
export interface OpenTable extends RuleContext {
  readonly name: TableName
  readonly policies: ChainPolicy[]
  readonly chains: Set<string>
  /** Iterator over the names in `chains`. Its position is after the chain of the last rule. */
  readonly ahead: Iterator<string>
  readonly jumps: Rule[]
  readonly rules: Rule[]
}

/** The reason why a line is invalid, with the index of the word. */
export interface LineFailure {
  readonly code: Exclude<IptablesProblemCode, 'duplicateTable'>
  readonly word: number
}

export function openTable(name: TableName, family: RuleContext['family']): OpenTable {
  const chains = new Set<string>()
  return { name, family, policies: [], chains, ahead: chains.values(), jumps: [], rules: [] }
}

export function closeTable({ name, policies, chains, jumps, rules }: OpenTable): Table {
  const blocks = chains.size + rules.length === 0 ? [] : [{ owner: '', chains: [...chains], rules }]
  return { name, ...(policies.length === 0 ? {} : { policies }), jumps, blocks }
}

/** Parses one line of a table: `:CHAIN …`, `-A CHAIN …` or `-X CHAIN`. `first` is its first word. */
export function readTableLine(first: string, words: readonly string[], table: OpenTable): LineFailure | undefined {
  if (first.startsWith(':')) return readChainLine(first.slice(1), words[1], table)
  const command = first.startsWith('[') && /^\[\d+:\d+\]$/.test(first) ? 1 : 0
  switch (words[command]) {
    case '-A':
    case '--append':
      return readRule(words, command + 1, table)
    case '-X':
    case '--delete-chain':
      return deleteChain(words, command + 1, table)
    default:
      return { code: 'unknownCommand', word: command }
  }
}

/** Parses `:CHAIN POLICY [PACKETS:BYTES]`; the policy of a custom chain is `-`. */
function readChainLine(chain: string, policy: string | undefined, table: OpenTable): LineFailure | undefined {
  const builtIn = isBuiltInChain(table.name, chain)
  if (builtIn && policy === 'DROP') table.policies.push({ chain, policy })
  if (builtIn) return policy === 'ACCEPT' || policy === 'DROP' || policy === '-' ? undefined : badChainLine(1)
  if (policy !== '-' || !isPlainWord(chain)) return badChainLine(policy === '-' ? 0 : 1)
  const { size } = table.chains
  return table.chains.add(chain).size > size ? undefined : { code: 'duplicateChain', word: 0 }
}

function badChainLine(word: number): LineFailure {
  return { code: 'badChainLine', word }
}

function readRule(words: readonly string[], at: number, table: OpenTable): LineFailure | undefined {
  const name = unquote(words[at] ?? '')
  const isBuiltIn = isBuiltInChain(table.name, name)
  const chain = isBuiltIn ? name : (chainOf(name, table) ?? (isPlainWord(name) ? name : undefined))
  if (chain === undefined) return { code: 'missingChain', word: at }
  const result = parseRule(chain, { raw: words, at: at + 1 }, table)
  if (!result.ok) return result.failure
  const rules = isBuiltIn ? table.jumps : table.rules
  rules.push(result.rule)
  return undefined
}

/**
 * Returns the stored string of a chain name, from the last rule or the chain line. Sharing this string instead of an
 * identical copy saves memory. The search only goes forward, because the rules of a dump are in the order of its chain
 * lines. Undefined if no further chain has the name.
 */
function chainOf(name: string, { rules, ahead }: OpenTable): string | undefined {
  const last = rules[rules.length - 1]?.chain
  if (last === name) return last
  for (let next = ahead.next(); next.done !== true; next = ahead.next()) if (next.value === name) return next.value
  return undefined
}

/** Deletes a chain. kube-proxy prints `:CHAIN` and `-X CHAIN` to remove a chain that may not exist. */
function deleteChain(words: readonly string[], at: number, table: OpenTable): LineFailure | undefined {
  const chain = unquote(words[at] ?? '')
  if (!table.chains.delete(chain)) return { code: 'missingChain', word: at }
  return words[at + 1] === undefined ? undefined : { code: 'unexpectedWord', word: at + 1 }
}
