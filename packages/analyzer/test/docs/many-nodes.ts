import {
  type CompileInput,
  type CompileResult,
  compileNodes,
  diff,
  digestOf,
  findChangedNodes,
  print,
  type ResultPatch,
} from '@kube-rules/compiler'

/** Prints one node after another, without retaining their results. */
export function printNodes(input: CompileInput, write: (nodeName: string, text: string) => void): void {
  for (const { nodeName, result } of compileNodes(input)) {
    write(nodeName, result.families.map(({ state }) => print(state)).join(''))
  }
}

const held = new Map<string, CompileResult>()

/** Reports the changes of each node since the last call; for a new node, all of its rules. */
export function updateNodes(input: CompileInput, visit: (nodeName: string, patch: ResultPatch) => void): void {
  for (const { nodeName, result } of compileNodes(input, { previous: held })) {
    visit(nodeName, diff(held.get(nodeName), result))
    held.set(nodeName, result)
  }
}

/** Returns the names of the nodes with other rules than at the last call, and keeps a digest for each node only. */
export function changedNodes(input: CompileInput, digests: Map<string, string>): readonly string[] {
  const names: string[] = []
  for (const { nodeName, result } of compileNodes(input)) {
    const digest = result.families.map(({ state }) => digestOf(state)).join(' ')
    if (digests.get(nodeName) !== digest) names.push(nodeName)
    digests.set(nodeName, digest)
  }
  return names
}

/** Prints how many lines each node would have to load for a change, largest first. */
export function planChange(before: CompileInput, after: CompileInput, write: (line: string) => void): void {
  const nodes = Array.from(findChangedNodes(before, after), ({ nodeName, lines }) => ({ nodeName, lines }))
  for (const { nodeName, lines } of nodes.sort((a, b) => b.lines - a.lines)) write(`${nodeName}: ${lines} lines`)
}
