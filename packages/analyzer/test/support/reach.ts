import type { Element, Rule } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { chainsOfElements, chainsOfRule, setsOfRule } from '@kube-rules/compiler/internal/dataplane/nftables/references'

/** Maximum number of nested jumps and gotos from a base chain. */
export const MAX_DEPTH = 15

/** The input for a walk through the chains of a table. */
export interface ChainGraph {
  readonly chains: Iterable<{ readonly name: string; readonly isBase: boolean; readonly rules: readonly Rule[] }>
  /** Returns the elements of a set or map, by name. */
  elementsOf(set: string): Iterable<Element>
}

/** The reason why the kernel would reject the chains of a table. */
export interface JumpProblem {
  readonly kind: 'loop' | 'depth'
  /** A path from a base chain to a repeated chain, or to the chain that exceeds the limit. */
  readonly path: readonly string[]
}

/**
 * Returns a path from a base chain that is a loop or too deep; undefined if there is none. Chains without a path from a
 * base chain are not checked. Linear in rules and elements, without recursion.
 */
export function findJumpProblem(table: ChainGraph): JumpProblem | undefined {
  const rules = new Map<string, readonly Rule[]>()
  const bases: string[] = []
  for (const { name, isBase, rules: its } of table.chains) {
    rules.set(name, its)
    if (isBase) bases.push(name)
  }
  const ofMap = new Map<string, readonly string[]>()
  const chainsOfMap = (set: string): readonly string[] => {
    const known = ofMap.get(set) ?? [...new Set(chainsOfElements(table.elementsOf(set)))]
    ofMap.set(set, known)
    return known
  }
  const targetsOf = (chain: string): readonly string[] => {
    const its = rules.get(chain) ?? []
    return [...new Set(its.flatMap((rule) => [...chainsOfRule(rule), ...setsOfRule(rule).flatMap(chainsOfMap)]))]
  }
  return walkFrom(bases, targetsOf)
}

interface Step {
  readonly chain: string
  readonly targets: readonly string[]
  next: number
  /** The known number of further steps. */
  height: number
  /** The next chain on the longest path. */
  onward: string | undefined
}

function walkFrom(bases: readonly string[], targetsOf: (chain: string) => readonly string[]): JumpProblem | undefined {
  const done = new Map<string, { readonly height: number; readonly onward: string | undefined }>()
  for (const base of bases) {
    const impasse = walk(base, targetsOf, done)
    if (impasse !== undefined) return impasse
    const height = done.get(base)?.height ?? 0
    if (height > MAX_DEPTH) return { kind: 'depth', path: longestPath(base, done) }
  }
  return undefined
}

function walk(
  base: string,
  targetsOf: (chain: string) => readonly string[],
  done: Map<string, { readonly height: number; readonly onward: string | undefined }>,
): JumpProblem | undefined {
  const enter = (chain: string): Step => ({ chain, targets: targetsOf(chain), next: 0, height: 0, onward: undefined })
  const path = [enter(base)]
  const onPath = new Set([base])
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    const target = last.targets[last.next]
    if (target === undefined) {
      path.pop()
      onPath.delete(last.chain)
      done.set(last.chain, { height: last.height, onward: last.onward })
      const before = path.at(-1)
      if (before !== undefined) raise(before, last.chain, last.height)
      continue
    }
    last.next++
    if (onPath.has(target)) return { kind: 'loop', path: [...onPath, target] }
    const known = done.get(target)
    if (known !== undefined) raise(last, target, known.height)
    else {
      path.push(enter(target))
      onPath.add(target)
    }
  }
  return undefined
}

function raise(step: Step, target: string, height: number): void {
  if (height + 1 <= step.height) return
  step.height = height + 1
  step.onward = target
}

function longestPath(
  from: string,
  done: ReadonlyMap<string, { readonly onward: string | undefined }>,
): readonly string[] {
  const path: string[] = []
  for (let chain: string | undefined = from; chain !== undefined; chain = done.get(chain)?.onward) path.push(chain)
  return path
}
