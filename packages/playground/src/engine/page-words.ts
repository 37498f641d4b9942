import type { View } from '@kube-rules/analyzer/view'

/** Words about files, options and runs of the command, with the words for the same on the page. */
const REPLACEMENTS: readonly (readonly [RegExp | string, string])[] = [
  [/\b(?:cluster|host)\.yaml(?:, document \d+)?, (?=line \d)/, ''],
  [/\b(?:cluster|host)\.yaml, document \d+: /, ''],
  [/\bcluster\.yaml: /, 'the objects: '],
  [/\bhost\.yaml: /, 'the node’s interfaces: '],
  [/\bdump:(\d+)(?::\d+)?: /, 'line $1 of the dump: '],
  [/\bof dump\b/, 'of the dump'],
  [/ \[[a-z][A-Za-z]+\]$/, ''],
  ['; --kubernetes-version selects another', ''],
  ['(expected ADDRESS:PORT, or --node-address)', '(expected ADDRESS:PORT, or a Node with an address)'],
  ['repeat this kube-rules command with a new dump: it finds no differences', 'paste a new dump: it has no drift'],
  [
    'repeat this kube-rules command with new dumps (kube-rules collect prints the commands): only one',
    'paste new dumps: only one',
  ],
  [
    'run kube-rules verify with the same objects and --dump to list the missing rules',
    'paste a dump of the node to see the missing rules',
  ],
]

/** Returns a message of the command in words that make sense on the page. */
export function rewordMessage(message: string): string {
  return REPLACEMENTS.reduce((text, [from, to]) => text.replace(from, to), message)
}

/** Rewords each line of a view. */
export function rewordView(view: View): View {
  return view.map((node) => ({ ...node, label: rewordMessage(node.label), children: rewordView(node.children) }))
}
