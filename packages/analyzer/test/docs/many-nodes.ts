import {
  type CompileInput,
  type CompileResult,
  compileNodes,
  diff,
  print,
  type ResultPatch,
} from '@kube-rules/compiler'

/** One node after the other: nothing of a node is held longer than it is looked at. */
export function printNodes(input: CompileInput, write: (nodeName: string, text: string) => void): void {
  for (const { nodeName, result } of compileNodes(input)) {
    write(nodeName, result.families.map(({ state }) => print(state)).join(''))
  }
}

const held = new Map<string, CompileResult>()

/** What is to change on each node since the last call; everything on a node that is new. */
export function updateNodes(input: CompileInput, visit: (nodeName: string, patch: ResultPatch) => void): void {
  for (const { nodeName, result } of compileNodes(input, { previous: held })) {
    visit(nodeName, diff(held.get(nodeName), result))
    held.set(nodeName, result)
  }
}
