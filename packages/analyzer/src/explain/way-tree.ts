import type { Assumption, Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import {
  add,
  type Fraction,
  fractionText,
  isLess,
  ONE,
  parseFraction,
  ZERO,
} from '@kube-rules/compiler/internal/internal/fraction'
import type { Way } from '../trace/trace-ways.js'
import { sharedLength, type WayPath, wayPath, withoutFirst } from './way-path.js'

/** The ways of a packet as a tree: what several have in common is there once, and it forks where they end differently. */
export interface WayTree {
  /** What is taken for granted here, and was not yet where the tree forked. */
  readonly given: readonly Assumption[]
  /** How likely it is to come here, where chance decides that: `1/3`. */
  readonly share?: string | undefined
  /** The beginning that all ways below have in common. */
  readonly steps: readonly Step[]
  /** How the ways go on; none where one ends here. */
  readonly branches: readonly WayTree[]
  /** How all of `branches` end alike, where each is a single way. */
  readonly tail: readonly Step[]
  /** The end of a way. */
  readonly end?: WayEnd | undefined
}

export interface WayEnd {
  readonly way: Way
  /** Of a way that stands for several, their last steps, behind others in which they differ. */
  readonly steps?: readonly Step[] | undefined
}

/** The tree of the steps that lead somewhere. */
export function wayTree(ways: readonly Way[]): WayTree {
  return treeOf(ways.map(wayPath), { given: [], share: ONE, isChance: false })
}

/** How the tree came to a place. */
interface Fork {
  /** All that is taken for granted there. */
  readonly given: readonly Assumption[]
  readonly share: Fraction
  /** Whether chance has led here, and not what is taken for granted alone. */
  readonly isChance: boolean
  /** What was taken for granted before the fork; default: all of `given`. */
  readonly known?: readonly Assumption[]
}

function treeOf(paths: readonly WayPath[], fork: Fork): WayTree {
  const { given, known = given, share, isChance } = fork
  const label = {
    given: given.filter((each) => !includes(known, each)),
    share: isChance ? fractionText(share) : undefined,
  }
  const [first, ...others] = paths
  if (first === undefined) return { ...label, steps: [], branches: [], tail: [] }
  if (others.length === 0) {
    const { way, beginning, end: steps } = first
    return { ...label, steps: beginning, branches: [], tail: [], end: { way, steps } }
  }
  const shared = sharedLength(paths.map(({ beginning }) => beginning))
  const rest = paths.map((path) => withoutFirst(path, shared))
  const steps = first.beginning.slice(0, shared)
  return { ...label, steps, ...forkOf(rest, fork) }
}

type Forked = Pick<WayTree, 'branches' | 'tail'>

/** By what cannot be told, where that concerns all ways; else by chance; else each way by itself. */
function forkOf(paths: readonly WayPath[], fork: Fork): Forked {
  const what = questionOfAll(paths, fork.given)
  if (what !== undefined) return forkByQuestion(paths, what, fork)
  const questions = (path: WayPath) => questionsOf(path, fork.given)
  const together = [
    groupPaths(paths, (path) => [...questions(path), ...stepOf(path)]),
    groupPaths(paths, questions),
    paths.map((path) => [path]),
  ]
  return forkByChance(together.find(({ length }) => length > 1) ?? [], fork)
}

function forkByQuestion(paths: readonly WayPath[], what: string, { given, share }: Fork): Forked {
  const sides = [true, false].map((holds) => {
    const side = paths.filter(({ way }) => includes(way.assumptions, { what, holds }))
    return { paths: side, fork: { given: [...given, { what, holds }], known: given, share, isChance: false } }
  })
  return branchesOf(sides)
}

function forkByChance(groups: readonly (readonly WayPath[])[], before: Fork): Forked {
  return branchesOf(
    groups.map((paths) => {
      const ways = paths.map(({ way }) => way)
      const share = shareOf(ways)
      return {
        paths,
        fork: { given: sharedAssumptions(ways), known: before.given, share, isChance: isLess(share, before.share) },
      }
    }),
  )
}

interface Side {
  readonly paths: readonly WayPath[]
  readonly fork: Fork
}

function branchesOf(sides: readonly Side[]): Forked {
  const ending = sides.every(isWhole) ? sharedLength(sides.map(stepsFromEnd)) : 0
  const branches = sides.map(({ paths, fork }) =>
    treeOf(ending === 0 ? paths : paths.map((path) => cut(path, ending)), fork),
  )
  const [first] = sides
  return { branches, tail: first === undefined || ending === 0 ? [] : stepsFromEnd(first).slice(0, ending).reverse() }
}

/** Whether it is a single way, and all of its steps are known. */
function isWhole({ paths: [first, ...others] }: Side): boolean {
  return first !== undefined && first.end === undefined && others.length === 0
}

function stepsFromEnd({ paths: [first] }: Side): readonly Step[] {
  return [...(first?.beginning ?? [])].reverse()
}

function cut(path: WayPath, ending: number): WayPath {
  return { ...path, beginning: path.beginning.slice(0, path.beginning.length - ending) }
}

/** What all ways take for granted, some of them as true and others as false: the first such thing that is not settled. */
function questionOfAll([first, ...others]: readonly WayPath[], given: readonly Assumption[]): string | undefined {
  const asked = first?.way.assumptions.filter((each) => !includes(given, each)) ?? []
  const isAskedOfAll = ({ what, holds }: Assumption) =>
    others.every(({ way }) => way.assumptions.some((each) => each.what === what)) &&
    others.some(({ way }) => includes(way.assumptions, { what, holds: !holds }))
  return asked.find(isAskedOfAll)?.what
}

/** Together those that have some key in common with others; in the order of the first of each. */
function groupPaths(
  paths: readonly WayPath[],
  keysOf: (path: WayPath) => readonly string[],
): readonly (readonly WayPath[])[] {
  const groups = new Map<string, Group>()
  for (const [index, path] of paths.entries()) {
    // One without a key is a group of its own.
    const keys = [`alone ${index}`, ...keysOf(path)]
    const known = [...new Set(keys.flatMap((key) => groups.get(key) ?? []))]
    const group: Group = {
      keys: [...known.flatMap((each) => each.keys), ...keys],
      paths: [...known.flatMap((each) => each.paths), path],
    }
    for (const key of group.keys) groups.set(key, group)
  }
  return [...new Set(groups.values())].map((group) => group.paths)
}

interface Group {
  readonly keys: readonly string[]
  readonly paths: readonly WayPath[]
}

/** What a way takes for granted that is not settled. */
function questionsOf({ way: { assumptions } }: WayPath, given: readonly Assumption[]): readonly string[] {
  return assumptions.flatMap((each) => (includes(given, each) ? [] : `if ${each.what}`))
}

/** How it goes on. */
function stepOf({ beginning: [next] }: WayPath): readonly string[] {
  return next === undefined ? [] : [`step ${next.hook} ${next.by} ${next.text}`]
}

/** How likely one of the ways is, whatever turns out to hold: the sum of those that may be so together. */
function shareOf(ways: readonly Way[]): Fraction {
  const holds = new Map<string, boolean>()
  let sum = ZERO
  for (const { assumptions, weight } of ways) {
    if (assumptions.some((each) => holds.get(each.what) === !each.holds)) continue
    for (const each of assumptions) holds.set(each.what, each.holds)
    sum = add(sum, parseFraction(weight))
  }
  return sum
}

function sharedAssumptions([first, ...others]: readonly Way[]): readonly Assumption[] {
  return first?.assumptions.filter((each) => others.every(({ assumptions }) => includes(assumptions, each))) ?? []
}

function includes(assumptions: readonly Assumption[], { what, holds }: Assumption): boolean {
  return assumptions.some((each) => each.what === what && each.holds === holds)
}
