import {
  addFractions,
  type Fraction,
  formatFraction,
  isLessThan,
  ONE_FRACTION,
  parseFraction,
  ZERO_FRACTION,
} from '@kube-rules/compiler/internal/internal/fraction'
import type { Assumption } from '../program/assumptions.js'
import { includesAssumption } from '../program/assumptions.js'
import type { PathStep } from '../program/steps.js'
import type { TracePath } from '../trace/trace-paths.js'
import { countCommonFirstSteps, createStepSequence, dropSharedSteps, type StepSequence } from './step-sequence.js'

/** The paths of a packet as a tree. Common steps occur once, and the tree forks where paths differ. */
export interface PathTree {
  /** The assumptions added at this fork. */
  readonly condition: readonly Assumption[]
  /** The probability of this branch, if it is random: `1/3`. */
  readonly share?: string | undefined
  /** The common first steps of all paths below. */
  readonly steps: readonly PathStep[]
  /** The branches after the fork; empty if a path ends here. */
  readonly branches: readonly PathTree[]
  /** The common last steps of `branches`. Empty if a branch consists of several paths. */
  readonly tail: readonly PathStep[]
  /** The end of a path. */
  readonly end?: PathEnd | undefined
}

export interface PathEnd {
  readonly path: TracePath
  /**
   * The common last steps of all paths that this path represents, after the steps that differ. Absent if the path
   * represents only itself.
   */
  readonly steps?: readonly PathStep[] | undefined
}

/** Builds the tree of significant steps. */
export function buildPathTree(paths: readonly TracePath[]): PathTree {
  return treeOf(paths.map(createStepSequence), { assumptions: [], share: ONE_FRACTION, isChance: false })
}

/** The facts about a fork that its branches share. */
interface Fork {
  /** The assumptions at this point, including those before the fork. */
  readonly assumptions: readonly Assumption[]
  readonly share: Fraction
  /** Whether the branches differ by randomness, possibly in addition to assumptions. */
  readonly isChance: boolean
  /** The assumptions before the fork. If absent, they are the same as `assumptions`. */
  readonly assumptionsBefore?: readonly Assumption[]
}

function treeOf(paths: readonly StepSequence[], fork: Fork): PathTree {
  const { assumptions, assumptionsBefore = assumptions, share, isChance } = fork
  const label = {
    condition: assumptions.filter((each) => !includesAssumption(assumptionsBefore, each)),
    share: isChance ? formatFraction(share) : undefined,
  }
  const [first, ...others] = paths
  if (first === undefined) return { ...label, steps: [], branches: [], tail: [] }
  if (others.length === 0) {
    const { path, sharedPrefix, end: steps } = first
    return { ...label, steps: sharedPrefix, branches: [], tail: [], end: { path, steps } }
  }
  const shared = countCommonFirstSteps(paths.map(({ sharedPrefix }) => sharedPrefix))
  const rest = paths.map((path) => dropSharedSteps(path, shared))
  const steps = first.sharedPrefix.slice(0, shared)
  return { ...label, steps, ...forkOf(rest, fork) }
}

type Forked = Pick<PathTree, 'branches' | 'tail'>

/**
 * Forks paths by an unknown condition that all paths depend on, if there is one. Otherwise forks by randomness. The
 * branches are the groups of paths with the same unknown conditions and next step. If there is only one such group,
 * they are the groups with the same unknown conditions, or else the individual paths.
 */
function forkOf(paths: readonly StepSequence[], fork: Fork): Forked {
  const what = firstSharedCondition(paths, fork.assumptions)
  if (what !== undefined) return forkByQuestion(paths, what, fork)
  const questions = (path: StepSequence) => questionsOf(path, fork.assumptions)
  const together = [
    groupPaths(paths, (path) => [...questions(path), ...stepOf(path)]),
    groupPaths(paths, questions),
    paths.map((path) => [path]),
  ]
  return forkByChance(together.find(({ length }) => length > 1) ?? [], fork)
}

function forkByQuestion(paths: readonly StepSequence[], condition: string, { assumptions, share }: Fork): Forked {
  const sides = [true, false].map((value) => {
    const side = paths.filter(({ path }) => includesAssumption(path.assumptions, { condition, value }))
    return {
      paths: side,
      fork: {
        assumptions: [...assumptions, { condition, value }],
        assumptionsBefore: assumptions,
        share,
        isChance: false,
      },
    }
  })
  return branchesOf(sides)
}

function forkByChance(groups: readonly (readonly StepSequence[])[], before: Fork): Forked {
  return branchesOf(
    groups.map((paths) => {
      const tracePaths = paths.map(({ path }) => path)
      const share = shareOf(tracePaths)
      return {
        paths,
        fork: {
          assumptions: sharedAssumptions(tracePaths),
          assumptionsBefore: before.assumptions,
          share,
          isChance: isLessThan(share, before.share),
        },
      }
    }),
  )
}

interface Side {
  readonly paths: readonly StepSequence[]
  readonly fork: Fork
}

function branchesOf(sides: readonly Side[]): Forked {
  const ending = sides.every(isWhole) ? countCommonFirstSteps(sides.map(stepsFromEnd)) : 0
  const branches = sides.map(({ paths, fork }) =>
    treeOf(ending === 0 ? paths : paths.map((path) => cut(path, ending)), fork),
  )
  const [first] = sides
  return { branches, tail: first === undefined || ending === 0 ? [] : stepsFromEnd(first).slice(0, ending).reverse() }
}

/** Reports whether a branch consists of only one path, and this path represents no further paths. */
function isWhole({ paths: [first, ...others] }: Side): boolean {
  return first !== undefined && first.end === undefined && others.length === 0
}

function stepsFromEnd({ paths: [first] }: Side): readonly PathStep[] {
  return [...(first?.sharedPrefix ?? [])].reverse()
}

function cut(path: StepSequence, ending: number): StepSequence {
  return { ...path, sharedPrefix: path.sharedPrefix.slice(0, path.sharedPrefix.length - ending) }
}

/**
 * Returns the first condition that splits the paths: all paths depend on it, and it is true on some of them and false on
 * others. Conditions in `assumed` are skipped.
 */
function firstSharedCondition(
  [first, ...others]: readonly StepSequence[],
  assumed: readonly Assumption[],
): string | undefined {
  const open = first?.path.assumptions.filter((each) => !includesAssumption(assumed, each)) ?? []
  const isOpenInAll = ({ condition, value }: Assumption) =>
    others.every(({ path }) => path.assumptions.some((each) => each.condition === condition)) &&
    others.some(({ path }) => includesAssumption(path.assumptions, { condition, value: !value }))
  return open.find(isOpenInAll)?.condition
}

/** Groups paths that share a key directly or transitively, in the order of the first path of each group. */
function groupPaths(
  paths: readonly StepSequence[],
  keysOf: (path: StepSequence) => readonly string[],
): readonly (readonly StepSequence[])[] {
  const groups = new Map<string, Group>()
  for (const [index, path] of paths.entries()) {
    // The unique first key makes a path without shared keys a separate group.
    const keys = [`alone ${index}`, ...keysOf(path)]
    const existing = [...new Set(keys.flatMap((key) => groups.get(key) ?? []))]
    const group: Group = {
      keys: [...existing.flatMap((each) => each.keys), ...keys],
      paths: [...existing.flatMap((each) => each.paths), path],
    }
    for (const key of group.keys) groups.set(key, group)
  }
  return [...new Set(groups.values())].map((group) => group.paths)
}

interface Group {
  readonly keys: readonly string[]
  readonly paths: readonly StepSequence[]
}

/** Returns the conditions of a path that are not assumed yet. */
function questionsOf({ path: { assumptions } }: StepSequence, assumed: readonly Assumption[]): readonly string[] {
  return assumptions.flatMap((each) => (includesAssumption(assumed, each) ? [] : `if ${each.condition}`))
}

/** Returns a key for the next step. Empty if no step follows. */
function stepOf({ sharedPrefix: [next] }: StepSequence): readonly string[] {
  return next === undefined ? [] : [`step ${next.hook} ${next.table} ${next.text}`]
}

/**
 * Returns the sum of the probabilities of the paths. Paths with assumptions that contradict those of a preceding path
 * are left out.
 */
function shareOf(paths: readonly TracePath[]): Fraction {
  const holds = new Map<string, boolean>()
  let sum = ZERO_FRACTION
  for (const { assumptions, weight } of paths) {
    if (assumptions.some((each) => holds.get(each.condition) === !each.value)) continue
    for (const each of assumptions) holds.set(each.condition, each.value)
    sum = addFractions(sum, parseFraction(weight))
  }
  return sum
}

function sharedAssumptions([first, ...others]: readonly TracePath[]): readonly Assumption[] {
  return (
    first?.assumptions.filter((each) => others.every(({ assumptions }) => includesAssumption(assumptions, each))) ?? []
  )
}
