import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import { type ConditionTable, joinRuleConditions, toDistinctCondition } from './assumptions.js'
import {
  type ChainResult,
  type Exit,
  endPathAsUnknown,
  exitOfVerdict,
  TOO_MANY_PATHS,
  type VerdictEffect,
} from './chain-result.js'
import { type PathState, withAssumption, withLast } from './path-state.js'
import type { Effect, Instruction } from './program.js'
import type { RunContext } from './split-path.js'
import { appendStep, type StepFactory } from './steps.js'

/** An instruction that cannot be evaluated, and that ends the path or the chain, and does nothing else, if it matches. */
export interface UnevaluatedInstruction {
  readonly instruction: Instruction
  readonly exit: Exit
  readonly step: StepFactory | undefined
}

/**
 * Maximum number of separate paths that differ only in instructions that cannot be evaluated. Up to this number, each
 * path names the instruction that it depends on. If there are more paths, they are joined.
 */
export const MAX_SEPARATE_PATHS = 7

/** Returns the end of a path if an instruction matches. Undefined if the instruction does more than end it. */
export function endOfInstruction(instruction: Instruction): UnevaluatedInstruction | undefined {
  const { effects } = instruction
  const [first, second] = effects
  const last = second ?? first
  if (last === undefined || !isVerdict(last) || effects.length > 2) return undefined
  if (second !== undefined && first?.kind !== 'step') return undefined
  return { instruction, exit: exitOfVerdict(last), step: first?.kind === 'step' ? first.step : undefined }
}

function isVerdict(effect: Effect): effect is VerdictEffect {
  const { kind } = effect
  return kind === 'accept' || kind === 'drop' || kind === 'reject' || kind === 'return'
}

/**
 * Follows consecutive instructions that cannot be evaluated. Adds the paths that end at one of them to `done`. For many
 * instructions with the same exit, only one path is added, with the condition that one of these applies. Returns the
 * path on which none of the instructions matches; undefined if following them takes too much work.
 */
export function forkAtUnevaluatedInstructions(
  ends: readonly UnevaluatedInstruction[],
  start: PathState,
  { budget, conditions, hook }: RunContext,
  done: ChainResult[],
): PathState | undefined {
  const groups =
    ends.length < MAX_SEPARATE_PATHS
      ? ends.map((end) => ({ end, condition: end.instruction.condition() }))
      : groupsOf(ends, conditions)
  let passed = start
  for (const { end, condition } of groups) {
    if (budget.forks-- <= 0) {
      done.push(endPathAsUnknown(passed, TOO_MANY_PATHS))
      return undefined
    }
    const what = toDistinctCondition(condition, passed.assumptions)
    const taken = withAssumption(passed, what, true)
    const path = end.step === undefined ? taken : withLast(taken, appendStep(taken.last, end.step, hook))
    done.push({ path, exit: end.exit })
    passed = withAssumption(passed, what, false)
  }
  return passed
}

/** Several instructions with the same exit, treated as one. `end` is the first of them. */
interface GroupOfEnds {
  readonly end: UnevaluatedInstruction
  readonly condition: string
}

/**
 * A node in a tree of sequences of instructions, which is used as a cache. `next` maps each instruction to the node of
 * the sequence with this instruction appended.
 */
interface InstructionSequence {
  readonly next: Map<object, InstructionSequence>
  /** The groups of the instructions in this sequence, computed on first use. */
  groups?: readonly GroupOfEnds[]
}

function emptySequence(): InstructionSequence {
  return { next: new Map() }
}

/** Groups instructions by exit. The groups are cached, because most packets reach the same instructions. */
function groupsOf(ends: readonly UnevaluatedInstruction[], table: ConditionTable): readonly GroupOfEnds[] {
  let sequence = memoize(table, emptySequence)
  for (const { instruction } of ends) {
    const existing = sequence.next.get(instruction)
    const next = existing ?? emptySequence()
    if (existing === undefined) sequence.next.set(instruction, next)
    sequence = next
  }
  sequence.groups ??= createGroups(ends, table)
  return sequence.groups
}

function createGroups(ends: readonly UnevaluatedInstruction[], table: ConditionTable): readonly GroupOfEnds[] {
  const all = ends.map((end) => ({ end, condition: end.instruction.condition(), exit: JSON.stringify(end.exit) }))
  const groups = groupItems(all, ({ exit }) => exit)
  const sequence = JSON.stringify(all.map(({ condition, exit }) => [condition, exit]))
  return Array.from(groups, ([exit, group]) => {
    const [{ end }] = group as [(typeof all)[number]]
    const conditions = group.map(({ condition }) => condition)
    return { end, condition: joinRuleConditions(conditions, exit + sequence, table) }
  })
}
