import { toCommands } from '../commands/to-commands.js'
import { checkCompileNodesArguments } from '../compilation/check-compile-arguments.js'
import type { CompileInput, CompileResult } from '../compilation/compile-result.js'
import { diff, isEmptyPatch, type ResultPatch } from '../diff/diff.js'
import { readArgument } from '../model/reading/read-safely.js'
import { type CompileNodesOptions, compileNodes, listNodeNames } from './compile-nodes.js'
import { shareEqualObjects } from './share-equal-objects.js'

/** A node that needs an update. */
export interface ChangedNode {
  /** The name of the node. */
  readonly nodeName: string
  /**
   * The number of lines that the tools of the node receive: the lines of the standard input of each command, and one line
   * for a command without standard input. Deletions of connections do not count.
   */
  readonly lines: number
  /** The patch from the earlier rules to the later rules, as `diff` returns it. */
  readonly patch: ResultPatch
}

/** Options of `findChangedNodes`. */
export type ChangedNodesOptions = Omit<CompileNodesOptions, 'previous'>

/**
 * Finds the nodes that need an update after a change of the objects, and how large the update is. By default, compares
 * every Node of both inputs: a Node that only one input has gets all of its rules, or loses them. Results are computed
 * during iteration, two at a time, and share everything that does not change.
 *
 * Throws like `compileNodes`, for both inputs.
 *
 * @example
 * ```ts
 * const later = { ...input, endpointSlices: [] }
 * Array.from(findChangedNodes(input, later), ({ nodeName }) => nodeName) // => ['node-1', 'node-2']
 * Array.from(findChangedNodes(input, input)) // => []
 * ```
 */
export function findChangedNodes(
  before: CompileInput,
  after: CompileInput,
  options: ChangedNodesOptions = {},
): Iterable<ChangedNode> {
  for (const input of [before, after]) readArgument('input', () => checkCompileNodesArguments(input, options))
  const shared = shareEqualObjects(before, after)
  const namesBefore = listNodeNames(shared.before, options)
  // Given names are read once, because an iterator can be consumed only once.
  const namesAfter = options.nodeNames === undefined ? listNodeNames(shared.after, options) : namesBefore
  const [inBefore, inAfter] = [new Set(namesBefore), new Set(namesAfter)]
  const common = namesBefore.filter((name) => inAfter.has(name))
  const removed = namesBefore.filter((name) => !inAfter.has(name))
  const older = compileNodes(shared.before, { ...options, nodeNames: [...common, ...removed] })
  const later = [...common, ...namesAfter.filter((name) => !inBefore.has(name))]
  // Throws at once if the later input is invalid.
  compileNodes(shared.after, { ...options, nodeNames: later })
  return {
    *[Symbol.iterator]() {
      for (const { nodeName, previous, next } of pairResults(older, shared.after, { ...options, nodeNames: later })) {
        const patch = diff(previous, next)
        if (!isEmptyPatch(patch)) yield { nodeName, lines: countLines(patch), patch }
      }
    },
  }
}

/** The results of one node; undefined for an input that does not have the node. */
interface ResultPair {
  readonly nodeName: string
  readonly previous: CompileResult | undefined
  readonly next: CompileResult | undefined
}

/**
 * Compiles the nodes of both inputs in step. Both lists begin with the same nodes. The later result of a node reuses the
 * earlier one, which is retained only while it is needed.
 */
function* pairResults(
  older: ReturnType<typeof compileNodes>,
  after: CompileInput,
  options: CompileNodesOptions,
): Iterable<ResultPair> {
  const held = new Map<string, CompileResult>()
  let newer: Iterator<{ readonly nodeName: string; readonly result: CompileResult }> | undefined
  const names = new Set(options.nodeNames)
  for (const { nodeName, result: previous } of older) {
    if (!names.has(nodeName)) {
      yield { nodeName, previous, next: undefined }
      continue
    }
    held.set(nodeName, previous)
    newer ??= compileNodes(after, { ...options, previous: held })[Symbol.iterator]()
    const item = newer.next()
    held.delete(nodeName)
    yield { nodeName, previous, next: item.done ? undefined : item.value.result }
  }
  newer ??= compileNodes(after, options)[Symbol.iterator]()
  for (let item = newer.next(); !item.done; item = newer.next())
    yield { nodeName: item.value.nodeName, previous: undefined, next: item.value.result }
}

function countLines(patch: ResultPatch): number {
  const commands = toCommands(patch, { keepsConnections: true })
  return commands.reduce((sum, { input }) => sum + (input === '' ? 1 : input.split('\n').length - 1), 0)
}
