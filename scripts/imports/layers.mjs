// Who may import what. A layer is a folder (ends in `/`) or a file; `*` stands for one name. A file belongs to the
// layer that fits it longest. Files of one layer may import each other. What is not listed is forbidden.
//
// Our files are written `<package>/<path below src>`, other modules as in the import. What ends in `/` or `:` stands
// for everything that begins so. `type ` in front: only `import type`; `!` in front: only `import type`, whatever else
// says. A layer with `mayNotName` has none of these words in its code.

const TYPES = '@kube-rules/types'
const COMPILER = ['', '/tables', '/plan', '/diff', '/explain', '/compare', '/verify', '/view'].map(
  (subpath) => `@kube-rules/compiler${subpath}`,
)
const LIBRARY = [TYPES, ...COMPILER]
const APPLICATION = '@kube-rules/application/'
const NETFILTER = 'compiler/dataplane/netfilter/'
const INTERNAL = 'compiler/internal/'
const COMPARISON = ['compiler/dataplane/comparison.ts', 'compiler/dataplane/compare-resources.ts']

// What the plan has answered: settings, traffic policy, readiness, topology.
const ANSWERED_BY_PLAN = [
  ...['Settings', 'Model', 'ServicePort', 'masqueradeAll'],
  ...['policyLocal', 'internalPolicyLocal', 'externalPolicyLocal', 'ready', 'serving', 'topologyHints', 'hints'],
  ...['hintsNeedAnnotation', 'nodeHints', 'endpointsInSliceOrder', 'runningEndpointWins', 'zeroSourceRangeAcceptsAll'],
  // A target has the features of its mode and version, and compares no versions.
  'featuresOf',
]

// The stage `model`, what exists, in four folders, each of which may import those before it, but for `endpoints` and
// `node`, which know nothing of each other. What they all read objects with is in `reading`.
const READING = 'compiler/reading/'
const CONFIGURATION = 'compiler/configuration/'
const NODE = 'compiler/node/'
const ENDPOINTS = 'compiler/endpoints/'
const MODEL = [CONFIGURATION, NODE, ENDPOINTS, 'compiler/services/']
const TYPES_OF_MODEL = MODEL.map((folder) => `type ${folder}`)

const LAYERS = [
  { layer: 'types/', mayImport: [] },
  { layer: 'types/schema/', mayImport: ['types/', 'zod/mini'] },

  { layer: 'compiler/internal/', mayImport: ['@noble/hashes/', '#sha256'] },
  { layer: 'compiler/internal/sha256-node.ts', mayImport: [INTERNAL, 'node:crypto'] },

  { layer: 'compiler/diff/', mayImport: [INTERNAL] },
  { layer: 'compiler/trace/', mayImport: [NETFILTER, INTERNAL, TYPES] },
  { layer: 'compiler/trace/hook-handlers.ts', mayImport: ['compiler/dataplane/', INTERNAL] },
  { layer: 'compiler/trace/mode-readers.ts', mayImport: ['compiler/dataplane/', 'compiler/targets/'] },

  { layer: 'compiler/compare/', mayImport: ['type compiler/trace/', NETFILTER, INTERNAL, TYPES] },
  { layer: 'compiler/compare/state-parts.ts', mayImport: ['compiler/dataplane/'] },
  { layer: 'compiler/compare/limitations.ts', mayImport: ['compiler/targets/'] },

  { layer: 'compiler/dataplane/netfilter/', mayImport: [INTERNAL, TYPES] },
  { layer: 'compiler/dataplane/comparison.ts', mayImport: ['type compiler/diff/'] },
  { layer: 'compiler/dataplane/compare-resources.ts', mayImport: [COMPARISON[0], 'compiler/diff/'] },
  {
    layer: 'compiler/dataplane/*/',
    mayImport: [NETFILTER, ...COMPARISON, 'type compiler/dataplane/tool-options.ts', 'compiler/diff/', INTERNAL, TYPES],
  },
  // Which subsystems there are, and the tables that more than one verb asks.
  {
    layer: 'compiler/dataplane/*.ts',
    mayImport: ['compiler/dataplane/', 'compiler/diff/', INTERNAL, TYPES],
  },
  // Tables of one verb each.
  {
    layer: 'compiler/print/',
    mayImport: ['compiler/dataplane/'],
  },
  {
    layer: 'compiler/commands/',
    mayImport: ['type compiler/configuration/', 'compiler/targets/', 'compiler/dataplane/', 'type compiler/diff/'],
  },

  { layer: 'compiler/reading/', mayImport: [TYPES, INTERNAL] },
  { layer: 'compiler/configuration/', mayImport: [READING, TYPES, INTERNAL] },
  { layer: 'compiler/node/', mayImport: [CONFIGURATION, READING, TYPES, INTERNAL] },
  { layer: 'compiler/endpoints/', mayImport: [CONFIGURATION, READING, TYPES, INTERNAL] },
  { layer: 'compiler/services/', mayImport: [ENDPOINTS, NODE, CONFIGURATION, READING, TYPES, INTERNAL] },

  { layer: 'compiler/plan/', mayImport: [...MODEL, TYPES, INTERNAL] },

  {
    layer: 'compiler/targets/*.ts',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      ...[...TYPES_OF_MODEL, 'type compiler/plan/', 'type compiler/dataplane/', 'type compiler/internal/'],
      ...['compiler/configuration/versions.ts', 'type compiler/diff/', 'compiler/targets/', TYPES],
    ],
  },
  {
    layer: 'compiler/targets/*/',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      'compiler/plan/',
      ...TYPES_OF_MODEL,
      // Which versions have the features that a state shows.
      'compiler/configuration/features.ts',
      'compiler/dataplane/',
      // What people read of a service port is said once, there.
      'compiler/services/service-port-text.ts',
      'compiler/diff/',
      'compiler/targets/shared/',
      'compiler/targets/userspace/planning/proxied.ts',
      'type compiler/targets/explanation.ts',
      'type compiler/targets/mode-lowering.ts',
      'type compiler/targets/ownership.ts',
      'type compiler/targets/state-frontend.ts',
      INTERNAL,
      TYPES,
    ],
  },

  // How mode userspace reads and plans Services: a stage above its rules, which decides as the plan does.
  {
    layer: 'compiler/targets/userspace/planning/',
    mayImport: ['compiler/plan/', ...MODEL, TYPES, INTERNAL],
  },

  // What a node holds, read back from what its tools print.
  { layer: 'compiler/dump/', mayImport: ['compiler/dataplane/', TYPES] },
  {
    layer: 'compiler/explain/',
    mayImport: ['compiler/plan/', 'compiler/trace/', ...MODEL, NETFILTER, INTERNAL, TYPES],
  },
  { layer: 'compiler/explain/frontend-readers.ts', mayImport: ['type compiler/dataplane/', 'compiler/targets/'] },

  // What puts the stages together: nothing below may import it.
  {
    layer: 'compiler/compilation/',
    mayImport: [
      ...MODEL,
      READING,
      'compiler/plan/',
      'compiler/targets/',
      'compiler/diff/',
      'type compiler/dataplane/node-state.ts',
      INTERNAL,
      TYPES,
    ],
  },
  // The same for many nodes, which share what is equal.
  {
    layer: 'compiler/many-nodes/',
    mayImport: [...MODEL, READING, 'type compiler/plan/', 'compiler/compilation/', 'compiler/diff/', INTERNAL, TYPES],
  },

  // How a node that holds anything comes to hold what was compiled.
  {
    layer: 'compiler/reconcile/',
    mayImport: ['compiler/targets/', 'type compiler/plan/', 'compiler/dataplane/', 'compiler/diff/', INTERNAL, TYPES],
  },

  // Of what was compiled and what a node holds.
  {
    layer: 'compiler/verify/',
    mayImport: ['compiler/targets/', 'type compiler/node/', 'compiler/dataplane/', TYPES],
  },
  // What is wrong, in words: of all that was found before.
  {
    layer: 'compiler/answers/',
    mayImport: [
      ...[
        'compiler/explain/',
        'type compiler/verify/',
        'compiler/plan/',
        'compiler/trace/',
        'compiler/targets/shared/',
      ],
      ...MODEL,
      'compiler/dataplane/',
      'type compiler/compilation/',
      INTERNAL,
      TYPES,
    ],
  },
  // What was found, line by line: of all that people read.
  {
    layer: 'compiler/view/',
    mayImport: [
      'compiler/explain/',
      'type compiler/answers/',
      'type compiler/verify/',
      'compiler/compare/',
      'type compiler/trace/',
      'compiler/dataplane/',
      'compiler/print/',
      TYPES,
    ],
  },
  { layer: 'compiler/*.ts', mayImport: ['compiler/', TYPES] },
  // What is public beside the verbs: one file for each subpath of the package.
  { layer: 'compiler/entries/', mayImport: ['compiler/'] },

  // What the command and the page have in common: no file, no terminal, no document. Entry points at the root of `src`.
  { layer: 'application/*.ts', mayImport: ['application/', ...LIBRARY] },
  { layer: 'application/messages/', mayImport: LIBRARY },
  {
    layer: 'application/cluster/',
    mayImport: ['js-yaml', '@noble/hashes/', '@kube-rules/types/schema', 'application/messages/', ...LIBRARY],
  },
  {
    layer: 'application/dump/',
    mayImport: ['type application/cluster/source.ts', 'application/messages/', ...LIBRARY],
  },
  { layer: 'application/print/', mayImport: ['application/language-choice.ts', 'application/messages/', ...LIBRARY] },
  {
    layer: 'application/explain/',
    mayImport: ['application/cluster/', 'application/dump/', 'application/messages/', ...LIBRARY],
  },
  { layer: 'application/script/', mayImport: LIBRARY },

  { layer: 'cli/', mayImport: ['node:', APPLICATION, ...LIBRARY] },

  // The page: entry points alone, and the editor's packages in two folders.
  { layer: 'playground/*.ts', mayImport: ['playground/'] },
  { layer: 'playground/question/', mayImport: [TYPES, APPLICATION] },
  {
    layer: 'playground/engine/',
    mayImport: ['diff', ...LIBRARY, APPLICATION, 'playground/question/'],
  },
  { layer: 'playground/dom/', mayImport: ['type @kube-rules/compiler/view'] },
  {
    layer: 'playground/editor/',
    mayImport: ['@codemirror/', 'playground/dom/', 'type playground/engine/'],
  },
  {
    layer: 'playground/drawing/',
    mayImport: [
      ...[TYPES, 'type @kube-rules/compiler', 'type @kube-rules/compiler/explain'],
      ...['playground/dom/', 'type playground/engine/'],
    ],
  },
  {
    layer: 'playground/panes/',
    mayImport: [
      ...[TYPES, '@kube-rules/compiler/tables', 'type @kube-rules/compiler/view', 'virtual:gallery'],
      ...['playground/question/', 'playground/dom/', 'playground/editor/', 'playground/drawing/'],
      ...['type @kube-rules/application/cluster', 'type playground/engine/', 'playground/engine/lines-of-rules.ts'],
    ],
  },
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
  if (layerOf(target)?.name === layer.name) return true
  if (!typeOnly && layer.mayImport.includes(`!${target}`)) return false
  return layer.mayImport.some((entry) => allows(entry, target, typeOnly))
}

function allows(entry, target, typeOnly) {
  if (entry.startsWith('type ')) return typeOnly && allows(entry.slice('type '.length), target, typeOnly)
  return /[/:]$/.test(entry) ? target.startsWith(entry) : target === entry
}

function patternOf(layer) {
  const pattern = layer.replaceAll('.', '\\.').replaceAll('*', '[^/]+')
  return new RegExp(layer.endsWith('/') ? `^${pattern}` : `^${pattern}$`)
}
