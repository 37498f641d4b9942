import {
  type CompileInput,
  type CompileResult,
  compileNodes,
  diff,
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
