import { addFractions } from '@kube-rules/compiler/internal/internal/fraction'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { applyEffects } from './apply-effects.js'
import { withPathAssumptions } from './assumed-locality.js'
import { areExitsEqual, type ChainResult, continueInChain, endPathAsUnknown, TOO_MANY_PATHS } from './chain-result.js'
import type { EffectContext } from './effect-context.js'
import { evaluateAll } from './evaluate-literal.js'
import { forkAtMissingContent } from './fork-at-missing-content.js'
import { forkSplit, partByAddress } from './fork-by-literals.js'
import { joinUnevaluatedPaths } from './join-unevaluated.js'
import { joinSection, type PathState, startSection } from './path-state.js'
import type { Chain, Instruction } from './program.js'
import { isOriginalPort } from './record-reads.js'
import { divide, type RunContext, type Split, splitByLiterals } from './split-path.js'
import { countSteps } from './steps.js'
import {
  endOfInstruction,
  forkAtUnevaluatedInstructions,
  MAX_SEPARATE_PATHS,
  type UnevaluatedInstruction,
} from './unevaluated-instruction.js'

/** The maximum depth of nested jumps. The kernel rejects loops and deep nesting, but a dump may contain them. */
const MAX_DEPTH = 128

/** The maximum number of steps of a path. Chains that are run once may still be entered very many times. */
const MAX_STEPS = 100_000

/** A chain that is being run, with the chains that called it. */
interface Call {
  readonly chain: Chain
  readonly depth: number
  readonly caller: Call | undefined
}

/** The ends of the sections that began in a chain, by the packets of the section. */
type Visits = Map<Chain, Visit[]>

interface Visit {
  readonly start: PathState
  readonly ends: readonly ChainResult[]
}

/**
 * Follows a path through a chain that a hook calls. The same chain is run only once for the same packets, so the work
 * does not grow with the number of jumps to it.
 */
export function runBaseChain(chain: Chain, path: PathState, run: RunContext): readonly ChainResult[] {
  return runChain({ chain, depth: 0, caller: undefined }, path, run, new Map())
}

function runChain(call: Call, start: PathState, run: RunContext, visits: Visits): readonly ChainResult[] {
  const { chain } = call
  if (isRunning(chain, call.caller)) return [endPathAsUnknown(start, `chain ${chain.name} loops back to itself`)]
  if (call.depth === MAX_DEPTH)
    return [endPathAsUnknown(start, `chain ${chain.name} exceeds the limit of nested jumps`)]
  const known = visits.get(chain)
  const ends = known?.find((visit) => haveSamePackets(visit.start, start))?.ends ?? visitChain(call, start, run, visits)
  return ends.map(({ path: section, exit }) => {
    const path = joinSection(start, section)
    return countSteps(path.last) > MAX_STEPS ? endPathAsUnknown(start, TOO_MANY_PATHS) : { path, exit }
  })
}

function isRunning(chain: Chain, caller: Call | undefined): boolean {
  for (let call = caller; call !== undefined; call = call.caller) if (call.chain === chain) return true
  return false
}

/** Reports whether two paths certainly have the same packets and assumptions. */
function haveSamePackets(a: PathState, b: PathState): boolean {
  return (
    a.packet === b.packet &&
    a.assumptions === b.assumptions &&
    a.sources === b.sources &&
    a.destinations === b.destinations
  )
}

/** Runs a chain for the packets of a path, and remembers the ends. */
function visitChain(call: Call, path: PathState, run: RunContext, visits: Visits): readonly ChainResult[] {
  const start = startSection(path)
  const ends = mergeResults(runCompleteOrPart(call, start, run, visits))
  const known = visits.get(call.chain)
  if (known === undefined) visits.set(call.chain, [{ start, ends }])
  else known.push({ start, ends })
  return ends
}

function runCompleteOrPart(call: Call, start: PathState, run: RunContext, visits: Visits): readonly ChainResult[] {
  const { missing } = call.chain
  const continuePath = (path: PathState) => runInstructionsFor(call, path, run, visits)
  if (missing === undefined) return continuePath(start)
  if (missing.what === 'all') return [endPathAsUnknown(start, missing.reason)]
  return forkAtMissingContent(
    start,
    { reason: missing.reason, continuePath, stop: endPathAsUnknown },
    missing.condition,
  )
}

/**
 * Adds up the weights of results with the same packet object, assumptions and exit. The path with the fewest steps
 * represents them, because the steps of another one may be very many.
 */
function mergeResults(results: readonly ChainResult[]): readonly ChainResult[] {
  if (results.length < 2 || areForDifferentPackets(results)) return results
  const merged: ChainResult[] = []
  const positions = new Map<unknown, number[]>()
  for (const result of results) {
    const sharing = positions.get(result.path.packet)
    const at = sharing?.find((position) => areResultsEqual(elementAt(merged, position), result))
    if (at !== undefined) {
      merged[at] = mergeTwo(elementAt(merged, at), result)
      continue
    }
    if (sharing === undefined) positions.set(result.path.packet, [merged.length])
    else sharing.push(merged.length)
    merged.push(result)
  }
  return merged
}

function areForDifferentPackets(results: readonly ChainResult[]): boolean {
  const [first, second] = results
  if (results.length === 2) return first?.path.packet !== second?.path.packet
  return new Set(results.map(({ path }) => path.packet)).size === results.length
}

function mergeTwo(a: ChainResult, b: ChainResult): ChainResult {
  const { path, exit } = countSteps(b.path.last) < countSteps(a.path.last) ? b : a
  return { path: { ...path, weight: addFractions(a.path.weight, b.path.weight) }, exit }
}

function areResultsEqual(a: ChainResult, b: ChainResult): boolean {
  return haveSamePackets(a.path, b.path) && areExitsEqual(a.exit, b.exit)
}

/** Follows a path through the instructions that its packets may match. */
function runInstructionsFor(call: Call, path: PathState, run: RunContext, visits: Visits): readonly ChainResult[] {
  const callChain = (chain: Chain, start: PathState) =>
    runChain({ chain, depth: call.depth + 1, caller: call }, start, run, visits)
  const allPorts = run.reads !== undefined && isOriginalPort(path.packet)
  const find = (packet: PathState['packet']) => call.chain.instructionsFor(packet, allPorts)
  if (path.destinations === undefined || call.chain.ignoresDestination?.(path.packet))
    return runInstructions(find(path.packet), path, run, callChain)
  return divide({ ...path, sources: undefined }, find, (list) => list).flatMap(({ path: part, value: instructions }) =>
    runInstructions(instructions, { ...part, sources: path.sources }, run, callChain),
  )
}

/** The paths in a chain. */
interface Progress {
  /** The paths that are at the next instruction. */
  readonly continuing: readonly PathState[]
  /** The paths that have left the chain. */
  readonly ended: ChainResult[]
  /** Instructions that cannot be evaluated, and that the only continuing path has passed without a fork so far. */
  readonly waiting: UnevaluatedInstruction[]
  /** Whether a path has assumptions beyond those of the start of the chain. */
  readonly isForked: boolean
}

function runInstructions(
  instructions: readonly Instruction[],
  start: PathState,
  run: RunContext,
  call: EffectContext['call'],
): readonly ChainResult[] {
  let progress: Progress = { continuing: [start], ended: [], waiting: [], isForked: false }
  const assumptionsAtStart = start.assumptions.length
  let most = MAX_SEPARATE_PATHS
  let isJoined = false
  for (let at = 0; at < instructions.length; at++) {
    progress = runInstruction(elementAt(instructions, at), progress, assumptionsAtStart, run, call)
    const { continuing, ended, isForked } = progress
    if (continuing.length === 0) break
    if (ended.length + continuing.length <= most || !isForked) continue
    const joined = joinUnevaluatedPaths(start, [...ended, ...continuing.map(continueInChain)], run)
    if (joined === undefined) {
      const rest = instructions.slice(at + 1)
      return [...ended, ...continuing.flatMap((path) => runInstructions(rest, path, run, call))]
    }
    progress = divideResults(joined, [], isForked, assumptionsAtStart)
    most = Math.max(MAX_SEPARATE_PATHS, 2 * joined.length)
    isJoined = true
  }
  const { continuing, ended } = passWaiting(progress, run)
  const results = [...ended, ...continuing.map((path): ChainResult => ({ path, exit: 'chain' }))]
  return isJoined ? (joinUnevaluatedPaths(start, results, run) ?? results) : results
}

/** Follows all continuing paths through one instruction. */
function runInstruction(
  instruction: Instruction,
  progress: Progress,
  assumptionsAtStart: number,
  run: RunContext,
  call: EffectContext['call'],
): Progress {
  const { continuing, waiting } = progress
  const [only] = continuing
  if (only === undefined || continuing.length > 1)
    return runOnEach(instruction, progress, assumptionsAtStart, run, call)
  const splits = splitAtInstruction(instruction, only, run)
  if (splits === undefined) return progress
  const end = findEndIfUnevaluated(instruction, splits, run)
  if (end !== undefined) {
    waiting.push(end)
    return progress
  }
  if (waiting.length > 0) return runInstruction(instruction, passWaiting(progress, run), assumptionsAtStart, run, call)
  const results = followInstruction(instruction, only, splits, run, call)
  return divideResults(results, progress.ended, progress.isForked, assumptionsAtStart)
}

function runOnEach(
  instruction: Instruction,
  progress: Progress,
  assumptionsAtStart: number,
  run: RunContext,
  call: EffectContext['call'],
): Progress {
  const results = progress.continuing.flatMap((path) => {
    const splits = splitAtInstruction(instruction, path, run)
    return splits === undefined ? [continueInChain(path)] : followInstruction(instruction, path, splits, run, call)
  })
  return divideResults(results, progress.ended, progress.isForked, assumptionsAtStart)
}

/** Divides the packets of a path by whether an instruction matches. Undefined if it matches none of them. */
function splitAtInstruction(
  { literals, missing }: Instruction,
  path: PathState,
  run: RunContext,
): readonly Split[] | undefined {
  if (missing !== undefined) return [{ path, result: 'yes' }]
  if (isOfOnePacket(path) && run.reads === undefined) {
    // Most instructions do not match: for one packet, this is decided without a list.
    const facts = withPathAssumptions(path.assumptions, run.facts)
    const result = evaluateAll(literals, path.packet, run.hook, facts)
    return result === 'no' ? undefined : [{ path, result }]
  }
  const splits = splitByLiterals(path, literals, run)
  return splits.length === 1 && splits[0]?.result === 'no' ? undefined : splits
}

function isOfOnePacket({ sources, destinations }: PathState): boolean {
  return sources === undefined && destinations === undefined
}

/** Returns how a path ends if an instruction that cannot be evaluated matches, and does nothing else. */
function findEndIfUnevaluated(
  instruction: Instruction,
  splits: readonly Split[],
  run: RunContext,
): UnevaluatedInstruction | undefined {
  const [split] = splits
  if (split?.result !== 'unknown' || splits.length > 1 || split.path.sources !== undefined) return undefined
  const end = endOfInstruction(instruction)
  return end !== undefined && partByAddress(instruction.literals, split.path, run) === undefined ? end : undefined
}

/** Returns the paths of a packet after an instruction. */
function followInstruction(
  instruction: Instruction,
  path: PathState,
  splits: readonly Split[],
  run: RunContext,
  call: EffectContext['call'],
): readonly ChainResult[] {
  const { literals, effects, condition, missing } = instruction
  const context = { run, condition, call }
  const followMatch = (taken: PathState) => applyEffects(effects, taken, context)
  const [only] = splits
  if (only !== undefined && splits.length === 1 && missing === undefined)
    return forkSplit(only, literals, context, followMatch)
  const follow = (parts: readonly Split[]) => parts.flatMap((split) => forkSplit(split, literals, context, followMatch))
  if (missing === undefined) return follow(splits)
  const continuePath = (known: PathState) => follow(splitByLiterals(known, literals, run))
  return forkAtMissingContent(path, { reason: missing, continuePath, stop: endPathAsUnknown })
}

/** Forks the continuing path at the instructions that it has passed without a fork. */
function passWaiting(progress: Progress, run: RunContext): Progress {
  const { continuing, ended, waiting } = progress
  const [path] = continuing
  if (path === undefined || waiting.length === 0) return progress
  const passed = forkAtUnevaluatedInstructions(waiting, path, run, ended)
  return { continuing: passed === undefined ? [] : [passed], ended, waiting: [], isForked: true }
}

/** Divides results into paths that continue at the next instruction, and those that are ended. */
function divideResults(
  results: readonly ChainResult[],
  ended: ChainResult[],
  wasForked: boolean,
  assumptionsAtStart: number,
): Progress {
  const continuing: PathState[] = []
  let isForked = wasForked
  for (const result of mergeResults(results)) {
    if (result.path.assumptions.length > assumptionsAtStart) isForked = true
    if (result.exit === 'instruction') continuing.push(result.path)
    else ended.push(result)
  }
  return { continuing, ended, waiting: [], isForked }
}
