import type { Element, Rule, Statement, Verdict } from './ast.js'

/** Returns the chain that a verdict refers to. */
export function chainOfVerdict(verdict: Verdict | undefined): string | undefined {
  return verdict !== undefined && 'chain' in verdict ? verdict.chain : undefined
}

/** Returns the chains that a rule refers to, one item per reference. */
export function chainsOfRule(rule: Rule): readonly string[] {
  return rule.statements.flatMap(chainsOfStatement)
}

function chainsOfStatement(statement: Statement): readonly string[] {
  if (statement.kind === 'jump' || statement.kind === 'goto') return [statement.chain]
  if (statement.kind !== 'vmap' || statement.map.kind === 'named') return []
  return chainsOfElements(statement.map.elements)
}

/** Returns the chains that elements refer to, one item per reference. */
export function chainsOfElements(elements: Iterable<Element>): readonly string[] {
  const chains: string[] = []
  for (const { verdict } of elements) {
    const chain = chainOfVerdict(verdict)
    if (chain !== undefined) chains.push(chain)
  }
  return chains
}

/** Returns the sets and maps that a rule refers to by name. */
export function setsOfRule(rule: Rule): readonly string[] {
  return rule.statements.flatMap(setsOfStatement)
}

function setsOfStatement(statement: Statement): readonly string[] {
  switch (statement.kind) {
    case 'match':
      return statement.right.kind === 'named' ? [statement.right.set] : []
    case 'vmap':
      return statement.map.kind === 'named' ? [statement.map.set] : []
    case 'setUpdate':
      return [statement.set]
    default:
      return []
  }
}

/** Returns the named counters of a rule. */
export function countersOfRule(rule: Rule): readonly string[] {
  return rule.statements.flatMap((statement) => (statement.kind === 'namedCounter' ? [statement.name] : []))
}
