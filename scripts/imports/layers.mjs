// Import rules. A layer is a folder (ends in `/`) or a file; `*` matches one name. A file belongs to the layer with the
// longest match. Files of one layer may import each other. All other imports are forbidden unless listed.
//
// Paths of our files are `<package>/<path below src>`, other modules are as in the import. A trailing `/` or `:`
// matches every module with this prefix. The prefix `type ` allows only `import type`; the prefix `!` restricts to
// `import type`, even if another entry matches. The code of a layer with `mayNotName` must not contain these words.

const TYPES = '@kube-rules/types'
/** Whoever may import the types may import the functions on addresses that are not public. */
const TYPES_FILE = /^types\/[^/]+\.ts$/
const COMPILER = ['', '/plan'].map((subpath) => `@kube-rules/compiler${subpath}`)
const ANALYZER = ['', '/explain', '/compare', '/verify', '/view'].map((subpath) => `@kube-rules/analyzer${subpath}`)
const LIBRARY = [TYPES, ...COMPILER, ...ANALYZER]
const APPLICATION = '@kube-rules/application/'
const NETFILTER = 'compiler/dataplane/netfilter/'
const INTERNAL = 'compiler/internal/'
const COMPARISON = ['compiler/dataplane/comparison.ts', 'compiler/dataplane/compare-resources.ts']

// Facts that the plan has already evaluated: settings, traffic policy, readiness, topology.
const ANSWERED_BY_PLAN = [
  ...['Settings', 'Model', 'ServicePort', 'masqueradeAll'],
  ...['policyLocal', 'internalPolicyLocal', 'externalPolicyLocal', 'ready', 'serving', 'topologyHints', 'hints'],
  ...['hintsNeedAnnotation', 'nodeHints', 'endpointsInSliceOrder', 'runningEndpointWins', 'zeroSourceRangeAcceptsAll'],
  // A target has the features of its mode and version, and compares no versions.
  'featuresOf',
]

// The stage `model` has four folders. Each may import the earlier ones, but `endpoints` and `node` are independent of
// each other. `reading` has the common functions for reading objects.
const READING = 'compiler/model/reading/'
const ARGUMENTS = 'compiler/arguments/'
const CONFIGURATION = 'compiler/model/configuration/'
const NODE = 'compiler/model/node/'
const ENDPOINTS = 'compiler/model/endpoints/'
const MODEL = [CONFIGURATION, NODE, ENDPOINTS, 'compiler/model/services/']
const TYPES_OF_MODEL = MODEL.map((folder) => `type ${folder}`)

const LAYERS = [
  { layer: 'types/', mayImport: [] },
  { layer: 'types/schema/', mayImport: ['types/', 'zod/mini'] },

  { layer: 'compiler/internal/', mayImport: ['@noble/hashes/', '#sha256'] },
  { layer: 'compiler/internal/sha256-node.ts', mayImport: [INTERNAL, 'node:crypto'] },

  // The algebra of resources, changes and patches, without a word of any subsystem.
  { layer: 'compiler/patch/', mayImport: [INTERNAL] },

  { layer: 'compiler/dataplane/netfilter/', mayImport: [INTERNAL, TYPES] },
  { layer: 'compiler/dataplane/comparison.ts', mayImport: ['type compiler/patch/'] },
  { layer: 'compiler/dataplane/compare-resources.ts', mayImport: [COMPARISON[0], 'compiler/patch/'] },
  {
    layer: 'compiler/dataplane/*/',
    mayImport: [
      NETFILTER,
      ...COMPARISON,
      'type compiler/dataplane/tool-options.ts',
      'compiler/patch/',
      INTERNAL,
      TYPES,
    ],
  },
  // Which subsystems there are, and the tables that more than one verb asks.
  {
    layer: 'compiler/dataplane/*.ts',
    mayImport: ['compiler/dataplane/', 'compiler/patch/', INTERNAL, TYPES],
  },
  { layer: 'compiler/model/reading/', mayImport: [TYPES, INTERNAL] },
  { layer: 'compiler/model/configuration/', mayImport: [READING, TYPES, INTERNAL] },
  { layer: 'compiler/model/node/', mayImport: [CONFIGURATION, READING, TYPES, INTERNAL] },
  { layer: 'compiler/model/endpoints/', mayImport: [CONFIGURATION, READING, TYPES, INTERNAL] },
  { layer: 'compiler/model/services/', mayImport: [ENDPOINTS, NODE, CONFIGURATION, READING, TYPES, INTERNAL] },

  { layer: 'compiler/plan/', mayImport: [...MODEL, TYPES, INTERNAL] },

  {
    layer: 'compiler/targets/*.ts',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      ...[...TYPES_OF_MODEL, 'type compiler/plan/', 'type compiler/dataplane/', 'type compiler/internal/'],
      ...['compiler/model/configuration/versions.ts', 'type compiler/patch/', 'compiler/targets/', TYPES],
    ],
  },
  {
    layer: 'compiler/targets/*/',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      'compiler/plan/',
      ...TYPES_OF_MODEL,
      // Which versions have the features that a state shows.
      'compiler/model/configuration/features.ts',
      'compiler/dataplane/',
      // The only place with the text form of a service port.
      'compiler/model/services/format-service-port.ts',
      'compiler/patch/',
      'compiler/targets/shared/',
      'compiler/targets/userspace/planning/userspace-service-port.ts',
      'type compiler/targets/mode-lowering.ts',
      'type compiler/targets/ownership.ts',
      INTERNAL,
      TYPES,
    ],
  },

  // How mode userspace reads and plans Services: a stage above its rules, which decides as the plan does.
  {
    layer: 'compiler/targets/userspace/planning/',
    mayImport: ['compiler/plan/', ...MODEL, TYPES, INTERNAL],
  },

  // Checks of the arguments of public functions.
  {
    layer: 'compiler/arguments/',
    mayImport: [READING, 'compiler/targets/modes.ts', 'compiler/dataplane/node-state.ts', TYPES],
  },
  // Combines the stages: nothing below may import it.
  {
    layer: 'compiler/compilation/',
    mayImport: [
      ...MODEL,
      READING,
      ARGUMENTS,
      'compiler/plan/',
      'compiler/targets/',
      'compiler/patch/',
      'type compiler/dataplane/node-state.ts',
      INTERNAL,
      TYPES,
    ],
  },
  // The same for many nodes, which share what is equal.
  {
    layer: 'compiler/many-nodes/',
    mayImport: [
      ...[...MODEL, READING, ARGUMENTS, 'type compiler/plan/', 'compiler/compilation/', 'compiler/patch/'],
      ...[INTERNAL, TYPES],
    ],
  },

  // The verbs: each has its table of subsystems or modes.
  { layer: 'compiler/print/', mayImport: [ARGUMENTS, 'compiler/dataplane/'] },
  {
    layer: 'compiler/diff/',
    mayImport: [
      ...['type compiler/compilation/', 'type compiler/commands/', 'compiler/plan/', 'compiler/dataplane/'],
      ...['compiler/patch/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  {
    layer: 'compiler/commands/',
    mayImport: [
      ...[CONFIGURATION, READING, 'type compiler/plan/', 'compiler/targets/', 'compiler/dataplane/', 'compiler/patch/'],
      ...['type compiler/diff/', ARGUMENTS, TYPES],
    ],
  },
  // How a node that holds anything comes to hold what was compiled.
  {
    layer: 'compiler/reconcile/',
    mayImport: [
      ...['type compiler/compilation/', 'compiler/diff/', 'type compiler/commands/', 'compiler/plan/', READING],
      ...['compiler/targets/', 'compiler/dataplane/', 'compiler/patch/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  // What follows a cluster, and brings a node after it.
  {
    layer: 'compiler/tracker/',
    mayImport: [
      ...['compiler/compilation/', 'compiler/reconcile/', 'compiler/diff/', 'type compiler/commands/', READING, NODE],
      ...['compiler/plan/', 'compiler/targets/', 'compiler/dataplane/', 'compiler/patch/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  // What is public: the root, and one file for each subpath of the package.
  { layer: 'compiler/index.ts', mayImport: ['compiler/', TYPES] },
  { layer: 'compiler/entries/', mayImport: ['compiler/', TYPES] },

  // What examines rules. It may see the inside of the compiler, which sees nothing of it.
  { layer: 'analyzer/arguments/', mayImport: [ARGUMENTS] },
  { layer: 'analyzer/dataplane/netfilter/', mayImport: [NETFILTER, INTERNAL, TYPES] },
  {
    layer: 'analyzer/dataplane/*/',
    mayImport: [
      'analyzer/dataplane/netfilter/',

      'compiler/dataplane/',
      'compiler/patch/',
      INTERNAL,
      TYPES,
    ],
  },
  { layer: 'analyzer/dataplane/*.ts', mayImport: ['analyzer/dataplane/', 'compiler/dataplane/', TYPES] },
  {
    layer: 'analyzer/plan/',
    mayImport: ['compiler/plan/', ...MODEL, 'compiler/targets/userspace/planning/', INTERNAL, TYPES],
  },
  {
    layer: 'analyzer/targets/',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      ...['compiler/targets/', 'compiler/plan/', ...TYPES_OF_MODEL, 'compiler/model/configuration/features.ts'],
      // The table that kube-proxy makes is written as text, and what people read of a service port is said once.
      ...['analyzer/dataplane/nftables/parse/parse.ts', 'compiler/model/services/format-service-port.ts'],
      ...['compiler/model/configuration/versions.ts', 'compiler/dataplane/', 'compiler/patch/', INTERNAL, TYPES],
    ],
  },
  // Node state, parsed from the output of its tools.
  {
    layer: 'analyzer/dump/',
    mayImport: [
      ...[
        'analyzer/dataplane/',
        'analyzer/targets/',
        'compiler/targets/',
        'compiler/reconcile/belongs-to-kube-proxy.ts',
      ],
      ...['compiler/dataplane/', READING, ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  {
    layer: 'analyzer/trace/',
    mayImport: [
      ...['analyzer/dataplane/', 'analyzer/targets/', 'type compiler/plan/'],
      ...['compiler/reconcile/belongs-to-kube-proxy.ts', 'compiler/targets/', 'compiler/dataplane/', ARGUMENTS],
      ...[READING, INTERNAL, TYPES],
    ],
  },
  {
    layer: 'analyzer/compare/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/trace/', 'analyzer/plan/', 'analyzer/targets/', 'analyzer/dataplane/'],
      ...[
        'compiler/plan/',
        'type compiler/targets/',
        'compiler/targets/modes.ts',
        'compiler/targets/userspace/planning/',
      ],
      'compiler/dataplane/',
      ...[ARGUMENTS, READING, INTERNAL, TYPES],
    ],
  },
  // Compares the rules with the plan that they were compiled from.
  {
    layer: 'analyzer/prove/',
    mayImport: [
      ...['analyzer/compare/', 'analyzer/trace/', 'analyzer/plan/', 'analyzer/dataplane/', 'compiler/plan/'],
      ...['type compiler/compilation/', 'type compiler/targets/', ...MODEL, 'compiler/dataplane/', ARGUMENTS, INTERNAL],
      TYPES,
    ],
  },
  // Compiles versions of kube-proxy, and traces packets through their rules.
  {
    layer: 'analyzer/versions/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/trace/', 'analyzer/compare/distribution.ts', 'type analyzer/compare/', 'compiler/compilation/'],
      ...['compiler/print/print.ts', ARGUMENTS],
      ...[CONFIGURATION, NETFILTER, TYPES],
    ],
  },
  {
    layer: 'analyzer/explain/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/trace/', 'analyzer/plan/', 'analyzer/targets/', 'analyzer/dataplane/'],
      ...['compiler/plan/', 'compiler/targets/', ...MODEL, READING, ARGUMENTS, 'compiler/dataplane/', INTERNAL, TYPES],
    ],
  },
  // The report of a comparison of what was compiled with what a node holds.
  {
    layer: 'analyzer/verify/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/targets/', 'analyzer/dataplane/', 'compiler/reconcile/', 'compiler/commands/', 'compiler/targets/'],
      ...['type compiler/compilation/', 'type compiler/plan/', 'type compiler/model/node/', 'compiler/dataplane/'],
      ...['type compiler/patch/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  // Diagnoses as text: uses all previous results.
  {
    layer: 'analyzer/diagnose/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/explain/', 'analyzer/verify/', 'analyzer/trace/', 'analyzer/dump/', 'analyzer/plan/'],
      ...[
        'analyzer/targets/',
        'analyzer/dataplane/',

        'compiler/reconcile/belongs-to-kube-proxy.ts',
      ],
      ...['compiler/plan/', 'compiler/targets/', ...MODEL, READING, 'compiler/dataplane/', 'compiler/patch/'],
      ...['compiler/compilation/', 'compiler/print/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  // Results, line by line: uses all text output.
  {
    layer: 'analyzer/view/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/explain/', 'type analyzer/diagnose/', 'type analyzer/verify/', 'analyzer/compare/'],
      ...['type analyzer/trace/', 'analyzer/dataplane/', 'compiler/dataplane/'],
      ...['compiler/print/', 'compiler/compilation/', READING, ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  { layer: 'analyzer/index.ts', mayImport: ['analyzer/', 'type compiler/', TYPES] },
  { layer: 'analyzer/entries/', mayImport: ['analyzer/', 'type compiler/', 'compiler/dataplane/', TYPES] },

  // What the command and the page have in common: no file, no terminal, no document. Entry points at the root of `src`.
  { layer: 'application/*.ts', mayImport: ['application/', ...LIBRARY] },
  { layer: 'application/messages/', mayImport: LIBRARY },
  { layer: 'application/assume/', mayImport: ['@noble/hashes/', 'application/messages/', ...LIBRARY] },
  {
    layer: 'application/cluster/',
    mayImport: [...['js-yaml', '@kube-rules/types/schema', 'application/assume/', 'application/messages/'], ...LIBRARY],
  },
  {
    layer: 'application/compare/',
    mayImport: ['application/assume/', 'type application/cluster/', ...LIBRARY],
  },
  {
    layer: 'application/dump/',
    mayImport: ['type application/cluster/text-source.ts', 'application/messages/', ...LIBRARY],
  },
  {
    layer: 'application/print/',
    mayImport: [
      ...[
        'application/subsystem-choice.ts',
        'type application/assume/',
        'type application/documents.ts',
        'application/messages/',
        'application/script/',
      ],
      ...LIBRARY,
    ],
  },
  {
    layer: 'application/explain/',
    mayImport: [
      ...['type application/assume/', 'application/cluster/', 'type application/documents.ts'],
      ...['application/dump/', 'application/messages/'],
      ...LIBRARY,
    ],
  },
  { layer: 'application/script/', mayImport: LIBRARY },

  { layer: 'cli/', mayImport: ['node:', APPLICATION, ...LIBRARY] },

  // The page: only entry points, and the editor's packages in two folders.
  { layer: 'playground/*.ts', mayImport: ['playground/'] },
  { layer: 'playground/question/', mayImport: [TYPES, APPLICATION] },
  {
    layer: 'playground/engine/',
    mayImport: ['diff', ...LIBRARY, APPLICATION, 'playground/question/'],
  },
  { layer: 'playground/dom/', mayImport: ['type @kube-rules/analyzer/view'] },
  {
    layer: 'playground/editor/',
    mayImport: ['@codemirror/', 'virtual:rule-words', 'playground/dom/', 'type playground/engine/'],
  },
  {
    layer: 'playground/drawing/',
    mayImport: [
      ...[TYPES, 'type @kube-rules/compiler', 'type @kube-rules/analyzer/explain'],
      ...['playground/dom/', 'type playground/engine/'],
    ],
  },
  {
    layer: 'playground/panes/',
    mayImport: [
      ...[TYPES, '@kube-rules/compiler', 'type @kube-rules/analyzer/view', 'type @kube-rules/analyzer/compare'],
      ...['virtual:gallery', 'virtual:features'],
      ...['playground/question/', 'playground/dom/', 'playground/editor/', 'playground/drawing/'],
      ...['type @kube-rules/application/cluster', 'type playground/engine/', 'playground/engine/rule-line-numbers.ts'],
    ],
  },
]

/**
 * Returns the layer of a file: its `name`, a folder or file, and its rules. Undefined if no layer contains the file.
 */
export function layerOf(path) {
  const fitting = LAYERS.flatMap(({ layer, mayImport, mayNotName = [] }) => {
    const name = patternOf(layer).exec(path)?.[0]
    return name === undefined ? [] : [{ name, mayImport, mayNotName }]
  })
  return fitting.sort((a, b) => b.name.length - a.name.length)[0]
}

/** Reports whether a file of `layer` may import `target`: a path of ours, or a specifier such as `zod`. */
export function mayImport(layer, target, typeOnly) {
  if (layerOf(target)?.name === layer.name) return true
  if (!typeOnly && layer.mayImport.includes(`!${target}`)) return false
  return layer.mayImport.some((entry) => allows(entry, target, typeOnly))
}

function allows(entry, target, typeOnly) {
  if (entry.startsWith('type ')) return typeOnly && allows(entry.slice('type '.length), target, typeOnly)
  if (entry === TYPES && TYPES_FILE.test(target)) return true
  return /[/:]$/.test(entry) ? target.startsWith(entry) : target === entry
}

function patternOf(layer) {
  const pattern = layer.replaceAll('.', '\\.').replaceAll('*', '[^/]+')
  return new RegExp(layer.endsWith('/') ? `^${pattern}` : `^${pattern}$`)
}
