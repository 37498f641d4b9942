import type {
  Chain,
  Element,
  NamedSet,
  Rule,
  Statement,
  Table,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import {
  chainOfVerdict,
  chainsOfRule,
  countersOfRule,
  setsOfRule,
} from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { isQuotable, isValidName, MAX_COMMENT_BYTES } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import { exceedsUtf8Length } from '@kube-rules/compiler/internal/internal/utf8'
import type { Diagnostic } from '@kube-rules/types'
import { findJumpProblem } from './reach.js'

/** The maximum length of a name in the kernel. */
const MAX_NAME_BYTES = 255

/** A problem: the path in the table, empty for the whole table, and a sentence. */
interface Problem {
  readonly path: string
  readonly message: string
  readonly expected?: string | undefined
}

/**
 * Checks a table for everything that nft or the kernel would reject. The problems are errors with code `structure`
 * about the object `nftables FAMILY NAME`. Covers invalid and duplicate names, comments, rules and elements with
 * missing references, one key with two values, values that do not fit their set, loops and too long jump paths from a
 * base chain, and interface prefixes after `iif` and `oif`. Unknown statements are accepted and left to nft.
 */
export function checkNftables(table: Table): readonly Diagnostic[] {
  const scope: Scope = {
    chains: new Map(table.chains.map((chain) => [chain.name, chain])),
    sets: new Map(table.sets.map((set) => [set.name, set])),
    counters: new Set(table.objects.filter(({ kind }) => kind === 'counter').map(({ name }) => name)),
  }
  const problems = [
    ...checkName(table.name, 'name'),
    ...checkComment(table.comment, 'comment'),
    ...checkTwice(table.chains, 'chains'),
    ...checkTwice(table.sets, 'sets'),
    ...table.chains.flatMap((chain, index) => checkChain(chain, `chains[${index}]`, scope)),
    ...table.sets.flatMap((set, index) => checkSet(set, `sets[${index}]`, scope)),
    ...table.objects.flatMap((object, index) => checkName(object.name, `objects[${index}].name`)),
    ...checkPaths(table, scope),
  ]
  const object = { kind: 'nftables', name: `${table.family} ${table.name}` }
  return problems.map(({ path, message, expected }) => ({
    severity: 'error',
    code: 'structure',
    object,
    ...(path && { path }),
    message,
    ...(expected && { expected }),
  }))
}

/** The valid references of rules and elements. */
interface Scope {
  readonly chains: ReadonlyMap<string, Chain>
  readonly sets: ReadonlyMap<string, NamedSet>
  readonly counters: ReadonlySet<string>
}

function checkName(name: string, path: string): readonly Problem[] {
  if (!isValidName(name)) {
    const expected = 'a letter, . or _, then letters, digits, /, -, _ and .'
    return [{ path, message: `${JSON.stringify(name)} cannot be a name`, expected }]
  }
  return name.length > MAX_NAME_BYTES ? [{ path, message: `the name is longer than ${MAX_NAME_BYTES} bytes` }] : NONE
}

const NONE: readonly Problem[] = []

function checkComment(comment: string | undefined, path: string): readonly Problem[] {
  if (comment === undefined) return NONE
  if (!isQuotable(comment)) return [{ path, message: 'the comment has a double quote or a control character' }]
  if (!exceedsUtf8Length(comment, MAX_COMMENT_BYTES)) return NONE
  return [{ path, message: `the comment is longer than ${MAX_COMMENT_BYTES} bytes` }]
}

function checkTwice(items: readonly { readonly name: string }[], path: string): readonly Problem[] {
  const seen = new Set<string>()
  return items.flatMap(({ name }, index) => {
    const isNew = !seen.has(name)
    seen.add(name)
    return isNew ? [] : [{ path: `${path}[${index}].name`, message: `${name} is defined twice` }]
  })
}

function checkChain(chain: Chain, path: string, scope: Scope): readonly Problem[] {
  return [
    ...checkName(chain.name, `${path}.name`),
    ...checkComment(chain.comment, `${path}.comment`),
    ...chain.rules.flatMap((rule, index) => checkRule(rule, `${path}.rules[${index}]`, scope)),
  ]
}

function checkRule(rule: Rule, path: string, scope: Scope): readonly Problem[] {
  const problems: Problem[] = [...checkComment(rule.comment, `${path}.comment`)]
  for (const chain of chainsOfRule(rule)) problems.push(...checkTarget(chain, path, scope))
  for (const set of setsOfRule(rule)) {
    if (!scope.sets.has(set)) problems.push({ path, message: `there is no set or map ${set}` })
  }
  for (const counter of countersOfRule(rule)) {
    if (!scope.counters.has(counter)) problems.push({ path, message: `there is no counter ${counter}` })
  }
  for (const [index, statement] of rule.statements.entries()) {
    problems.push(...checkStatement(statement, `${path}.statements[${index}]`, scope))
  }
  return problems
}

function checkTarget(name: string, path: string, { chains }: Scope): readonly Problem[] {
  const chain = chains.get(name)
  if (chain === undefined) return [{ path, message: `there is no chain ${name}` }]
  return chain.base === undefined ? NONE : [{ path, message: `${name} is a base chain, and no rule can jump to it` }]
}

function checkStatement(statement: Statement, path: string, scope: Scope): readonly Problem[] {
  switch (statement.kind) {
    case 'match': {
      const { left, right } = statement
      const kind = right.kind === 'named' ? scope.sets.get(right.set)?.kind : undefined
      if (kind === 'map') return [{ path, message: 'expected a set, got a map' }]
      const [selector] = left
      const isIndex = selector?.kind === 'meta' && (selector.key === 'iif' || selector.key === 'oif')
      if (!isIndex || right.kind !== 'value' || !right.value.endsWith('*')) return NONE
      return [{ path, message: `${selector.key} takes no prefix: there is no interface ${right.value}` }]
    }
    case 'vmap': {
      if (statement.map.kind === 'anonymous') return checkKeys(statement.map.elements, path)
      const set = scope.sets.get(statement.map.set)
      const isFit = set === undefined || (set.kind === 'map' && set.data?.[0] === 'verdict')
      return isFit ? NONE : [{ path, message: `${statement.map.set} is not a verdict map` }]
    }
    case 'dnat':
      return statement.to.kind === 'map' ? checkKeys(statement.to.elements, path) : NONE
    case 'setUpdate': {
      const set = scope.sets.get(statement.set)
      const isFit = set === undefined || set.flags?.includes('dynamic') === true || hasTimeouts(set)
      return isFit ? NONE : [{ path, message: `rules cannot fill ${statement.set}: it is not dynamic` }]
    }
    default:
      return NONE
  }
}

function checkSet(set: NamedSet, path: string, scope: Scope): readonly Problem[] {
  const problems: Problem[] = [...checkName(set.name, `${path}.name`), ...checkComment(set.comment, `${path}.comment`)]
  const isTimed = hasTimeouts(set)
  // Allocates memory only for problems, because a table may have very many elements.
  for (const [index, element] of set.elements.entries()) {
    const chain = chainOfVerdict(element.verdict)
    const isFit = isElementOf(set, element) && (isTimed || element.timeout === undefined)
    if (isFit && element.comment === undefined && chain === undefined) continue
    const at = `${path}.elements[${index}]`
    if (!isElementOf(set, element)) problems.push({ path: at, message: `${element.key} does not fit the ${set.kind}` })
    if (!isTimed && element.timeout !== undefined) problems.push({ path: at, message: 'the set has no timeouts' })
    problems.push(...checkComment(element.comment, `${at}.comment`))
    if (chain !== undefined) problems.push(...checkTarget(chain, at, scope))
  }
  problems.push(...checkKeys(set.elements, path))
  if (set.size !== undefined && set.elements.length > set.size) {
    problems.push({ path, message: `${set.elements.length} elements are more than its size ${set.size}` })
  }
  return problems
}

function hasTimeouts(set: NamedSet): boolean {
  return set.timeout !== undefined || set.flags?.includes('timeout') === true
}

function isElementOf(set: NamedSet, { verdict, data }: Element): boolean {
  if (set.kind === 'set') return verdict === undefined && data === undefined
  return set.data?.[0] === 'verdict' ? verdict !== undefined : data !== undefined
}

/** Checks for one key with different values; a plain duplicate is valid. */
function checkKeys(elements: readonly Element[], path: string): readonly Problem[] {
  const values = new Map<string, Element>()
  const problems: Problem[] = []
  for (const element of elements) {
    const known = values.get(element.key)
    if (known === undefined) values.set(element.key, element)
    else if (formatValue(known) !== formatValue(element)) {
      const message = `${element.key} has two values, ${formatValue(known)} and ${formatValue(element)}`
      problems.push({ path, message })
    }
  }
  return problems
}

function formatValue({ verdict, data }: Element): string {
  if (verdict === undefined) return data ?? 'none'
  return 'chain' in verdict ? `${verdict.kind} ${verdict.chain}` : verdict.kind
}

function checkPaths(table: Table, { sets }: Scope): readonly Problem[] {
  const chains = table.chains.map(({ name, base, rules }) => ({ name, isBase: base !== undefined, rules }))
  const impasse = findJumpProblem({ chains, elementsOf: (set) => sets.get(set)?.elements ?? [] })
  if (impasse === undefined) return NONE
  const reason = impasse.kind === 'loop' ? 'loops back to itself' : 'has more jumps than the kernel follows'
  return [{ path: '', message: `${impasse.path.join(' -> ')} ${reason}` }]
}
