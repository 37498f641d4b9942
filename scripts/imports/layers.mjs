// Who may import what. A layer is a folder (ends in `/`) or a file; `*` stands for one name. A file belongs to the
// layer that fits it longest. Files of one layer may import each other. What is not listed is forbidden.
//
// Our files are written `<package>/<path below src>`, other modules as in the import. What ends in `/` or `:` stands
// for everything that begins so. `type ` in front: only `import type`. A layer with `mayNotName` has none of these words in
// its code.

const TYPES = '@kube-rules/types'
const NETFILTER = 'compiler/dataplane/netfilter/'
const INTERNAL = 'compiler/internal/'

// What the plan has answered: settings, traffic policy, readiness, topology.
const ANSWERED_BY_PLAN = [
  ...['Settings', 'Model', 'ServicePort', 'masqueradeAll'],
  ...['policyLocal', 'internalPolicyLocal', 'externalPolicyLocal'],
  ...['ready', 'serving', 'topologyHints', 'zoneHints', 'nodeHints'],
]

const LAYERS = [
  { layer: 'types/', mayImport: [] },
  { layer: 'types/schema/', mayImport: ['types/', 'zod'] },

  { layer: 'compiler/internal/', mayImport: ['@noble/hashes/', '#sha256'] },
  { layer: 'compiler/internal/sha256-node.ts', mayImport: [INTERNAL, 'node:crypto'] },

  { layer: 'compiler/diff/', mayImport: [INTERNAL] },
  { layer: 'compiler/trace/', mayImport: [NETFILTER, INTERNAL, TYPES] },

  { layer: 'compiler/dataplane/netfilter/', mayImport: [INTERNAL, TYPES] },
  { layer: 'compiler/dataplane/*/', mayImport: [NETFILTER, 'compiler/diff/', INTERNAL, TYPES] },

  { layer: 'compiler/model/', mayImport: [TYPES, INTERNAL] },
  { layer: 'compiler/plan/', mayImport: ['compiler/model/', TYPES, INTERNAL] },

  {
    layer: 'compiler/targets/target.ts',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      'type compiler/plan/',
      'type compiler/diff/',
      'type compiler/dataplane/netfilter/',
      'type compiler/internal/',
      TYPES,
    ],
  },
  {
    layer: 'compiler/targets/registry.ts',
    mayImport: ['compiler/targets/', 'type compiler/dataplane/'],
  },
  {
    layer: 'compiler/targets/*/',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      'compiler/plan/',
      'type compiler/model/model.ts',
      'type compiler/model/features.ts',
      'compiler/model/service-port-text.ts',
      'compiler/dataplane/',
      'compiler/diff/',
      'compiler/targets/shared/',
      'compiler/targets/target.ts',
      INTERNAL,
      TYPES,
    ],
  },

  // What a node holds, read back from what its tools print.
  { layer: 'compiler/dump/', mayImport: ['compiler/dataplane/', TYPES] },
  {
    layer: 'compiler/explain/',
    mayImport: ['compiler/plan/', 'compiler/trace/', 'compiler/model/', NETFILTER, INTERNAL, TYPES],
  },

  // What puts the stages together: nothing below may import it.
  {
    layer: 'compiler/compilation/',
    mayImport: [
      'compiler/model/',
      'compiler/plan/',
      'compiler/targets/',
      'compiler/diff/',
      'type compiler/compile.ts',
      INTERNAL,
      TYPES,
    ],
  },

  // Compares what was compiled with what a node holds.
  {
    layer: 'compiler/verify/',
    mayImport: [
      'type compiler/compile.ts',
      'type compiler/plan/',
      'compiler/targets/',
      'compiler/dataplane/',
      'compiler/dump/',
      'compiler/diff/',
      INTERNAL,
      TYPES,
    ],
  },
  { layer: 'compiler/*.ts', mayImport: ['compiler/', TYPES] },

  { layer: 'cli/', mayImport: ['node:', 'js-yaml', TYPES, '@kube-rules/types/schema', '@kube-rules/compiler'] },
]

/** The layer of a file: its `name`, a folder or file, and its rules. Undefined for a file that no layer holds. */
export function layerOf(path) {
  const fitting = LAYERS.flatMap(({ layer, mayImport, mayNotName = [] }) => {
    const name = patternOf(layer).exec(path)?.[0]
    return name === undefined ? [] : [{ name, mayImport, mayNotName }]
  })
  return fitting.sort((a, b) => b.name.length - a.name.length)[0]
}

/** Whether a file of `layer` may import `target`: a path of ours, or a specifier such as `zod`. */
export function mayImport(layer, target, typeOnly) {
  return layerOf(target)?.name === layer.name || layer.mayImport.some((entry) => allows(entry, target, typeOnly))
}

function allows(entry, target, typeOnly) {
  if (entry.startsWith('type ')) return typeOnly && allows(entry.slice('type '.length), target, typeOnly)
  return /[/:]$/.test(entry) ? target.startsWith(entry) : target === entry
}

function patternOf(layer) {
  const pattern = layer.replaceAll('.', '\\.').replaceAll('*', '[^/]+')
  return new RegExp(layer.endsWith('/') ? `^${pattern}` : `^${pattern}$`)
}
