import type { Operand, Rule, Selector, Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatSelector } from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { type Clause, type ClauseContent, type ComparisonOperator, type KeyPart, needsOfKey } from './clause.js'
import { jsonStatementToText } from './json-text.js'
import { readStatements } from './read-statement.js'
import type { SelectorRow } from './selector-row.js'
import { findSelectorRow } from './selectors.js'

/** The maximum number of expressions in a rule (`NFT_RULE_MAXEXPRS` of the kernel). Each statement has at least one. */
const MAX_STATEMENTS = 128

/** Reads the statements of a rule. A rule that the kernel would reject is not read. */
export function readRule({ statements }: Rule): readonly Clause[] {
  const clauses = statements.length > MAX_STATEMENTS ? undefined : readClauses(statements)
  if (clauses !== undefined && clauses.length <= MAX_STATEMENTS) return clauses
  return [{ kind: 'unread', text: `a rule with more than ${MAX_STATEMENTS} statements` }]
}

function readClauses(statements: readonly Statement[]): readonly Clause[] {
  return statements.flatMap((statement): readonly Clause[] => {
    switch (statement.kind) {
      case 'unknown':
        return readStatements(statement.words.join(' '), MAX_STATEMENTS + 1)
      case 'unknownJson':
        return readStatements(jsonStatementToText(statement.json) ?? statement.json, MAX_STATEMENTS + 1)
      default:
        return [{ ...toClause(statement), source: statement }]
    }
  })
}

type KnownStatement = Exclude<Statement, { readonly kind: 'unknown' | 'unknownJson' }>

function toClause(statement: KnownStatement): ClauseContent {
  switch (statement.kind) {
    case 'match':
      return {
        kind: 'comparison',
        left: statement.left.map(toKeyPart),
        operator: operatorOf(statement),
        right: rightOf(statement.right),
      }
    case 'markMatch':
      return {
        kind: 'comparison',
        left: [toKeyPart(MARK)],
        mask: String(statement.mask),
        operator: statement.operator,
        right: { kind: 'keys', keys: [String(statement.value)] },
      }
    case 'vmap':
      return { kind: 'dispatch', lookup: { key: statement.key.map(toKeyPart), map: statement.map } }
    case 'dnat': {
      const { family, to } = statement
      if (to.kind === 'address') {
        return { kind: 'translate', statement: 'dnat', family, to: { ...to, kind: 'fixed' } }
      }
      const map = { kind: 'anonymous', elements: to.elements } as const
      return {
        kind: 'translate',
        statement: 'dnat',
        family,
        to: { kind: 'map', lookup: { key: to.key.map(toKeyPart), map } },
      }
    }
    case 'masquerade':
      return { kind: 'translate', statement: 'masquerade', to: { kind: 'fixed' } }
    case 'reject':
      return { kind: 'reject', with: statement.with }
    case 'markSet':
      return { kind: 'setMark', of: 'packet', value: markValueOf(statement) }
    case 'setUpdate':
      return { kind: 'pass', needs: needsOfKey(statement.key.map(toKeyPart)) }
    case 'counter':
    case 'namedCounter':
      return { kind: 'pass', needs: [] }
    default:
      return { kind: 'verdict', verdict: statement }
  }
}

const MARK: Selector = { kind: 'meta', key: 'mark' }

function toKeyPart(selector: Selector): KeyPart {
  if (selector.kind === 'numgen') {
    const { mode, mod, offset } = selector
    return { kind: 'generated', isRandom: mode === 'random', mod, offset, needs: [] }
  }
  return { kind: 'selector', row: rowOf(selector) }
}

/** A selector that the compiler represents, but that the table does not contain. */
const UNLISTED: Omit<SelectorRow, 'selector'> = {
  type: 'unknown',
  needs: [],
  meaning: { kind: 'unknown' },
  reason: 'the selector is unknown',
}

function rowOf(selector: Exclude<Selector, { readonly kind: 'numgen' }>): SelectorRow {
  const name = nameOf(selector)
  return findSelectorRow(name) ?? { ...UNLISTED, selector: name }
}

function nameOf(selector: Exclude<Selector, { readonly kind: 'numgen' }>): string {
  if (selector.kind === 'meta') return `meta ${selector.key}`
  if (selector.kind !== 'fib') return formatSelector(selector)
  // The mark does not change the type of an address.
  return formatSelector({ ...selector, flags: selector.flags.filter((flag) => flag !== 'mark') })
}

/** Flags without an operator match if one of them is set. Elements of a set must be equal. */
function operatorOf({ left, operator, right }: Extract<Statement, { readonly kind: 'match' }>): ComparisonOperator {
  const [only] = left
  const isOfBits = left.length === 1 && only?.kind === 'ct' && (only.key === 'state' || only.key === 'status')
  return isOfBits && operator === '==' && right.kind === 'value' ? 'any' : operator
}

function rightOf(operand: Operand): Extract<ClauseContent, { readonly kind: 'comparison' }>['right'] {
  switch (operand.kind) {
    case 'value':
      return { kind: 'keys', keys: [operand.value] }
    case 'anonymous':
      return { kind: 'keys', keys: operand.keys }
    case 'named':
      return operand
  }
}

const ALL_BITS = 0xffffffff

function markValueOf({
  operation,
  value,
}: Extract<Statement, { readonly kind: 'markSet' }>): Extract<ClauseContent, { readonly kind: 'setMark' }>['value'] {
  switch (operation) {
    case 'set':
      return { kind: 'bits', keep: 0, flip: value }
    case 'and':
      return { kind: 'bits', from: 'packet', keep: value, flip: 0 }
    case 'or':
      return { kind: 'bits', from: 'packet', keep: (ALL_BITS & ~value) >>> 0, flip: value }
    case 'xor':
      return { kind: 'bits', from: 'packet', keep: ALL_BITS, flip: value }
  }
}
