import type { Diagnostic } from '@kube-rules/types'
import { createDiagnosticKey } from '../cluster/cluster-diagnostics.js'
import { formatNames } from './format-names.js'

/** A diagnostic of some of the checked nodes. */
export interface NodeDiagnostic extends Diagnostic {
  /** The names of the nodes with this diagnostic; absent if all checked nodes have it. */
  readonly nodes?: readonly string[] | undefined
}

/** The diagnostics of nodes, each once. */
export interface NodeDiagnostics {
  add(nodeName: string, diagnostics: readonly Diagnostic[]): void
  /** Returns the diagnostics in the order of the first node, followed by those of further nodes. */
  list(): readonly NodeDiagnostic[]
}

/** Creates an empty list of the diagnostics of nodes. */
export function createNodeDiagnostics(): NodeDiagnostics {
  const found = new Map<string, { readonly diagnostic: Diagnostic; readonly nodes: string[] }>()
  const checked = new Set<string>()
  return {
    add: (nodeName, diagnostics) => {
      checked.add(nodeName)
      for (const diagnostic of diagnostics) {
        const key = createDiagnosticKey(diagnostic)
        const known = found.get(key)
        if (known === undefined) found.set(key, { diagnostic, nodes: [nodeName] })
        else if (known.nodes.at(-1) !== nodeName) known.nodes.push(nodeName)
      }
    },
    list: () =>
      [...found.values()].map(({ diagnostic, nodes }) =>
        nodes.length === checked.size ? diagnostic : { ...diagnostic, nodes },
      ),
  }
}

/** Adds the nodes to the messages of diagnostics that not all nodes have, unless the diagnostic is about the Node itself. */
export function nameNodes(diagnostics: readonly NodeDiagnostic[]): readonly Diagnostic[] {
  return diagnostics.map(({ nodes, ...diagnostic }) => {
    const { object, message } = diagnostic
    const isOwn = object.kind === 'Node' && nodes?.join() === object.name
    return nodes === undefined || isOwn
      ? diagnostic
      : { ...diagnostic, message: `${message} (on ${formatNames(nodes)})` }
  })
}
