import type { IptablesState, Rule, Table, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { jumpTargetsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { MAX_COMMENT_BYTES } from '@kube-rules/compiler/internal/dataplane/iptables/matches/comment'
import { isPlainWord } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { exceedsUtf8Length } from '@kube-rules/compiler/internal/internal/utf8'
import { findCycle } from './cycle.js'

/** The longest chain name that the tools accept (`XT_EXTENSION_MAXNAMELEN` minus one). */
export const MAX_CHAIN_NAME_BYTES = 28

/** The codes of problems of `checkState`. */
export type StructureProblemCode =
  | 'badChainName'
  | 'duplicateChain'
  | 'unknownChain'
  | 'jumpToBuiltInChain'
  | 'cycle'
  | 'longComment'
  | 'badComment'

/** A reason why a state fails to load, or loads in a different form. */
export interface StructureProblem {
  /** A stable code. */
  readonly code: StructureProblemCode
  /** The table with the problem. */
  readonly table: TableName
  /** The declared chain, or the chain of the rule. */
  readonly chain: string
  /** One line of readable text. */
  readonly message: string
}

/**
 * Checks the whole state table by table: invalid or duplicate chain names, rules in or jumps to missing chains,
 * comments that are too long or have control characters, cycles. `iptables-restore --test` is no substitute, because
 * its nft variant accepts a jump to a missing chain. Linear in the number of rules.
 */
export function checkState(state: IptablesState): readonly StructureProblem[] {
  return state.tables.flatMap(checkTable)
}

function checkTable({ name, jumps, blocks }: Table): readonly StructureProblem[] {
  const scope = createScope(name)
  for (const block of blocks) declareChains(block.chains, scope)
  for (const chain of jumpTargetsOf(jumps)) if (!scope.numbers.has(chain)) declareChains([chain], scope)
  checkRules(jumps, scope)
  for (const block of blocks) checkRules(getBlockRules(block), scope)
  checkCycles(scope)
  return scope.problems
}

/** State of the check. */
interface Scope {
  readonly table: TableName
  /** The visible chains with their numbers. */
  readonly numbers: Map<string, number>
  /** Jumps between chains, by number. */
  readonly from: number[]
  readonly to: number[]
  readonly problems: StructureProblem[]
}

function createScope(table: TableName): Scope {
  return { table, numbers: new Map(), from: [], to: [], problems: [] }
}

function report(scope: Scope, code: StructureProblemCode, chain: string, reason: string): void {
  const { table, problems } = scope
  problems.push({ code, table, chain, message: `chain ${chain} of table ${table} ${reason}` })
}

function declareChains(chains: readonly string[], scope: Scope): void {
  const { numbers, table } = scope
  for (const chain of chains) {
    const reason = chainNameProblem(chain, table)
    const size = numbers.size
    if (!numbers.has(chain)) numbers.set(chain, size)
    if (reason !== undefined) report(scope, 'badChainName', chain, reason)
    else if (numbers.size === size) report(scope, 'duplicateChain', chain, 'is created twice')
  }
}

/** The form of nearly all names. Only other names need a closer check. */
const ORDINARY_NAME = /^[A-Za-z][\w-]{0,27}$/

function chainNameProblem(chain: string, table: TableName): string | undefined {
  if (ORDINARY_NAME.test(chain) && !isBuiltInChain(table, chain)) return undefined
  if (!isPlainWord(chain) || chain.startsWith('-') || chain.startsWith('!')) return 'is not a valid chain name'
  if (exceedsUtf8Length(chain, MAX_CHAIN_NAME_BYTES)) {
    return `is longer than ${MAX_CHAIN_NAME_BYTES} bytes`
  }
  return isBuiltInChain(table, chain) ? 'is a built-in chain' : undefined
}

function checkRules(rules: readonly Rule[], scope: Scope): void {
  let chain: string | undefined
  let number: number | undefined
  for (const rule of rules) {
    if (rule.chain !== chain) {
      chain = rule.chain
      number = scope.numbers.get(chain)
    }
    if (number === undefined && !isBuiltInChain(scope.table, rule.chain)) {
      report(scope, 'unknownChain', rule.chain, 'has rules but does not exist')
    }
    for (const match of rule.matches) if (match.kind === 'comment') checkComment(match.text, rule.chain, scope)
    if (rule.target?.kind === 'jump' || rule.target?.kind === 'goto') {
      checkJump(rule.chain, number, rule.target.chain, scope)
    }
  }
}

function checkJump(chain: string, number: number | undefined, destination: string, scope: Scope): void {
  const target = scope.numbers.get(destination)
  if (target !== undefined) {
    if (number === undefined) return
    scope.from.push(number)
    scope.to.push(target)
  } else if (isBuiltInChain(scope.table, destination)) {
    report(scope, 'jumpToBuiltInChain', chain, `jumps to the built-in chain ${destination}`)
  } else {
    report(scope, 'unknownChain', chain, `jumps to ${destination}, which does not exist`)
  }
}

/** Control characters. A tab would be possible, but no generated comment contains one. */
const HAS_CONTROL_CHARACTER = /[^ -~\u0080-\uffff]/

function checkComment(text: string, chain: string, scope: Scope): void {
  if (exceedsUtf8Length(text, MAX_COMMENT_BYTES)) {
    report(scope, 'longComment', chain, `has a comment of more than ${MAX_COMMENT_BYTES} bytes`)
  }
  if (HAS_CONTROL_CHARACTER.test(text)) report(scope, 'badComment', chain, 'has a comment with a control character')
}

function checkCycles(scope: Scope): void {
  // There is no cycle if every jump refers to a chain that is declared later.
  if (scope.from.every((number, jump) => number < elementAt(scope.to, jump))) return
  const cycle = findCycle(scope.from, scope.to)
  if (cycle === undefined) return
  const names = [...scope.numbers.keys()]
  const chains = cycle.map((number) => elementAt(names, number))
  report(scope, 'cycle', elementAt(chains, 0), `loops back to itself: ${chains.join(' -> ')}`)
}
