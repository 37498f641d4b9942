// Import rules. A layer is a folder (ends in `/`) or a file; `*` matches one name. A file belongs to the layer with the
// longest match. Files of one layer may import each other. All other imports are forbidden unless listed.
//
// Paths of our files are `<package>/<path below src>`, other modules are as in the import. A trailing `/` or `:`
// matches every module with this prefix. The prefix `type ` allows only `import type`; the prefix `!` restricts to
// `import type`, even if another entry matches. The code of a layer with `mayNotName` must not contain these words.

const TYPES = '@kube-rules/types'
/** The files of `types`, some of which are not public: any layer that may import `types` may import them. */
const TYPES_FILE = /^types\/[^/]+\.ts$/
const COMPILER = ['', '/plan'].map((subpath) => `@kube-rules/compiler${subpath}`)
const ANALYZER = ['', '/explain', '/compare', '/verify', '/view'].map((subpath) => `@kube-rules/analyzer${subpath}`)
const LIBRARY = [TYPES, '@kube-rules/types/manifests', ...COMPILER, ...ANALYZER]
const APPLICATION = '@kube-rules/application/'
const NETFILTER = 'compiler/dataplane/netfilter/'
const INTERNAL = 'compiler/internal/'
const PROGRAM = 'analyzer/program/'
const COMPARISON = ['drift-part', 'comparison', 'compare-resources'].map((name) => `compiler/dataplane/${name}.ts`)

// Facts that the plan has already evaluated: settings, traffic policy, readiness, topology.
const ANSWERED_BY_PLAN = [
  ...['Settings', 'Model', 'ServicePort', 'masqueradeAll'],
  ...['policyLocal', 'internalPolicyLocal', 'externalPolicyLocal', 'ready', 'serving', 'topologyHints', 'hints'],
  ...['hintsNeedAnnotation', 'nodeHints', 'endpointsInSliceOrder', 'runningEndpointWins', 'zeroNetworksMatchAll'],
  // A target gets the features of its mode and version, and does not compare versions.
  'featuresOf',
]

// The stage `model` has four folders. Each folder may import earlier folders, but `endpoints` and `node` are
// independent of each other. `reading` has the common functions for reading objects.
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
  {
    layer: 'types/manifests/',
    mayImport: ['types/', 'types/schema/manifest-documents.ts', 'types/schema/untyped.ts', '@noble/hashes/'],
  },

  { layer: 'compiler/internal/', mayImport: ['@noble/hashes/', '#sha256'] },
  { layer: 'compiler/internal/sha256-node.ts', mayImport: [INTERNAL, 'node:crypto'] },

  // The algebra of resources, changes and patches, independent of any subsystem.
  { layer: 'compiler/patch/', mayImport: [INTERNAL] },

  { layer: 'compiler/dataplane/netfilter/', mayImport: [INTERNAL, TYPES] },
  { layer: 'compiler/dataplane/drift-part.ts', mayImport: [TYPES] },
  { layer: 'compiler/dataplane/comparison.ts', mayImport: ['type compiler/patch/', COMPARISON[0]] },
  { layer: 'compiler/dataplane/compare-resources.ts', mayImport: [...COMPARISON, 'compiler/patch/', INTERNAL] },
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
  // The list of subsystems, and the tables that several functions use.
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
      // For finding the versions whose features a state has.
      'compiler/model/configuration/features.ts',
      'compiler/dataplane/',
      // The only formatter of service ports.
      'compiler/model/services/format-service-port.ts',
      'compiler/patch/',
      'compiler/targets/shared/',
      'compiler/targets/userspace/planning/plan-service.ts',
      'type compiler/targets/mode-lowering.ts',
      'type compiler/targets/ownership.ts',
      INTERNAL,
      TYPES,
    ],
  },

  // The planning of userspace mode: a stage above its rules that makes traffic decisions, like `plan`.
  {
    layer: 'compiler/targets/userspace/planning/',
    mayImport: ['compiler/plan/', ...MODEL, TYPES, INTERNAL],
  },

  // Checks of the arguments of public functions.
  {
    layer: 'compiler/arguments/',
    mayImport: [READING, 'compiler/targets/modes.ts', 'compiler/dataplane/node-state.ts', TYPES],
  },
  // Combines the stages: no stage may import it.
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
  // Compiles many nodes, which share equal parts.
  {
    layer: 'compiler/many-nodes/',
    mayImport: [
      ...[...MODEL, READING, ARGUMENTS, 'type compiler/plan/', 'compiler/compilation/', 'compiler/patch/'],
      ...[INTERNAL, TYPES],
    ],
  },
  // Compares the results of many nodes.
  {
    layer: 'compiler/many-nodes/find-changed-nodes.ts',
    mayImport: [...['compiler/many-nodes/', 'compiler/compilation/', 'compiler/diff/', 'compiler/commands/', READING]],
  },

  // One folder for each public function, with its table of subsystems or modes.
  { layer: 'compiler/print/', mayImport: [ARGUMENTS, 'compiler/dataplane/'] },
  {
    layer: 'compiler/diff/',
    mayImport: [
      ...['type compiler/compilation/', 'compiler/plan/', 'compiler/dataplane/'],
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
  // Changes a node from any state to the compiled state.
  {
    layer: 'compiler/reconcile/',
    mayImport: [
      ...['type compiler/compilation/', 'compiler/diff/', 'type compiler/commands/', 'compiler/plan/', READING],
      ...['compiler/targets/', 'compiler/dataplane/', 'compiler/patch/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  // Follows the objects of a cluster, and updates a node.
  {
    layer: 'compiler/tracker/',
    mayImport: [
      ...['compiler/compilation/', 'compiler/reconcile/', 'compiler/diff/', 'compiler/commands/', READING, NODE],
      ...[CONFIGURATION, 'compiler/plan/', 'compiler/targets/', 'compiler/dataplane/', 'compiler/patch/', ARGUMENTS],
      ...[INTERNAL, TYPES],
    ],
  },
  // The public API: the root, and one file for each subpath of the package.
  { layer: 'compiler/index.ts', mayImport: ['compiler/', TYPES] },
  { layer: 'compiler/entries/', mayImport: ['compiler/', TYPES] },

  // The analyzer. It may import internal files of the compiler; the compiler never imports the analyzer.
  { layer: 'analyzer/arguments/', mayImport: [ARGUMENTS] },
  // The one form of the rules of all subsystems, and its evaluator. It knows no subsystem.
  { layer: 'analyzer/program/', mayImport: [NETFILTER, INTERNAL, TYPES] },
  { layer: 'analyzer/dataplane/netfilter/', mayImport: [NETFILTER, INTERNAL, TYPES] },
  {
    layer: 'analyzer/dataplane/*/',
    mayImport: [
      ...['analyzer/dataplane/netfilter/', PROGRAM, 'compiler/dataplane/'],
      'compiler/patch/',
      INTERNAL,
      TYPES,
    ],
  },
  { layer: 'analyzer/dataplane/*.ts', mayImport: ['analyzer/dataplane/', 'compiler/dataplane/', TYPES] },
  {
    layer: 'analyzer/plan/',
    mayImport: [
      ...['compiler/plan/', ...MODEL, 'type compiler/targets/modes.ts', 'compiler/targets/userspace/planning/'],
      ...[INTERNAL, TYPES],
    ],
  },
  // Other programs on a node: a table and its search.
  { layer: 'analyzer/neighbors/', mayImport: [] },
  {
    layer: 'analyzer/targets/',
    mayNotName: ANSWERED_BY_PLAN,
    mayImport: [
      'analyzer/neighbors/',
      ...[
        'analyzer/plan/',
        'compiler/targets/',
        'compiler/plan/',
        ...TYPES_OF_MODEL,
        'compiler/model/configuration/features.ts',
      ],
      // The tables of kube-proxy are printed as text, and service ports have one text form.
      ...['analyzer/dataplane/nftables/parse/parse.ts', 'compiler/model/services/format-service-port.ts'],
      'type analyzer/program/assumptions.ts',
      ...['compiler/model/configuration/versions.ts', 'compiler/dataplane/', 'compiler/patch/', INTERNAL, TYPES],
    ],
  },
  // Reads node states from the output of the tools.
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
      ...[PROGRAM, 'analyzer/dataplane/', 'analyzer/targets/', 'type compiler/plan/'],
      ...['compiler/reconcile/belongs-to-kube-proxy.ts', 'compiler/targets/', 'compiler/dataplane/', ARGUMENTS],
      ...[READING, INTERNAL, TYPES],
    ],
  },
  {
    layer: 'analyzer/compare/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/trace/', PROGRAM, 'analyzer/plan/', 'analyzer/targets/', 'analyzer/dataplane/'],
      ...[
        'compiler/plan/',
        'type compiler/targets/',
        'compiler/targets/modes.ts',
        'compiler/targets/shared/kube-chains.ts',
        'compiler/targets/userspace/planning/',
      ],
      ...['compiler/dataplane/', 'compiler/patch/resource.ts', 'type analyzer/verify/report.ts'],
      ...[ARGUMENTS, READING, INTERNAL, TYPES],
    ],
  },
  // Compares the rules with the decisions that follow from the plan that they were compiled from.
  {
    layer: 'analyzer/prove/',
    mayImport: [
      ...[
        'analyzer/compare/',
        'analyzer/trace/',
        PROGRAM,
        'analyzer/plan/',
        'analyzer/targets/',
        'analyzer/dataplane/',
      ],
      'compiler/plan/',
      ...['type compiler/compilation/', 'type compiler/targets/', ...MODEL, 'compiler/dataplane/', ARGUMENTS, INTERNAL],
      TYPES,
    ],
  },
  // Compiles versions of kube-proxy, and traces packets through their rules.
  {
    layer: 'analyzer/versions/',
    mayImport: [
      'analyzer/arguments/',
      ...[
        'analyzer/trace/',
        PROGRAM,
        'analyzer/compare/compare-paths.ts',
        'type analyzer/compare/',
        'compiler/compilation/',
      ],
      ...['compiler/print/print.ts', ARGUMENTS],
      ...[CONFIGURATION, NETFILTER, TYPES],
    ],
  },
  {
    layer: 'analyzer/explain/',
    mayImport: [
      ...['analyzer/arguments/', 'analyzer/neighbors/'],
      ...['analyzer/trace/', PROGRAM, 'analyzer/plan/', 'analyzer/targets/', 'analyzer/dataplane/'],
      ...['compiler/plan/', 'compiler/targets/', ...MODEL, READING, ARGUMENTS, 'compiler/dataplane/', INTERNAL, TYPES],
    ],
  },
  // Reports the drift between a compile result and a node.
  {
    layer: 'analyzer/verify/',
    mayImport: [
      'analyzer/arguments/',
      ...['analyzer/targets/', 'analyzer/dataplane/', 'compiler/reconcile/', 'compiler/commands/', 'compiler/targets/'],
      ...['type compiler/compilation/', 'type compiler/plan/', 'type compiler/model/node/', 'compiler/dataplane/'],
      ...['type compiler/patch/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  // Diagnoses: use all of the results above.
  {
    layer: 'analyzer/diagnose/',
    mayImport: [
      'analyzer/arguments/',
      'analyzer/neighbors/',
      ...['analyzer/explain/', 'analyzer/verify/', 'analyzer/trace/', 'type analyzer/program/', 'analyzer/dump/'],
      'analyzer/plan/',
      ...[
        'analyzer/targets/',
        'analyzer/dataplane/',

        'analyzer/program/assumed-locality.ts',
        'analyzer/program/assumptions.ts',
        'analyzer/program/missing-content.ts',
        'compiler/reconcile/',
      ],
      ...['compiler/plan/', 'compiler/targets/', ...MODEL, READING, 'compiler/dataplane/', 'compiler/patch/'],
      ...['compiler/compilation/', 'compiler/print/', ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  // Results as lines: uses all text output.
  {
    layer: 'analyzer/view/',
    mayImport: [
      'analyzer/arguments/',
      ...[
        'analyzer/explain/',
        'type analyzer/diagnose/',
        'type analyzer/verify/',
        'analyzer/compare/',
        'analyzer/neighbors/',
      ],
      ...['type analyzer/trace/', 'type analyzer/program/', 'analyzer/dataplane/', 'compiler/dataplane/'],
      ...['compiler/print/', 'compiler/compilation/', READING, ARGUMENTS, INTERNAL, TYPES],
    ],
  },
  { layer: 'analyzer/index.ts', mayImport: ['analyzer/', 'type compiler/', TYPES] },
  { layer: 'analyzer/entries/', mayImport: ['analyzer/', 'type compiler/', 'compiler/dataplane/', TYPES] },

  // The parts of a proxy that do not touch a machine. It may import internal files that read the configuration.
  {
    layer: 'proxy-kit/',
    mayImport: [...COMPILER, '@kube-rules/compiler/ipvs', CONFIGURATION, ARGUMENTS, TYPES],
  },

  // Generators of objects, matchers and serializers for tests.
  {
    layer: 'testing/arbitraries/',
    mayImport: ['fast-check', 'type @kube-rules/compiler', 'type @kube-rules/compiler/plan', CONFIGURATION, TYPES],
  },
  {
    layer: 'testing/matchers/',
    mayImport: [...COMPILER, '@kube-rules/analyzer', '@kube-rules/analyzer/explain', TYPES],
  },
  { layer: 'testing/index.ts', mayImport: ['testing/arbitraries/', 'fast-check', TYPES] },
  { layer: 'testing/entries/', mayImport: ['testing/matchers/', '@jest/globals', 'vitest'] },

  // The code that the command and the playground share: it uses no files, no terminal and no DOM. Its entry points are
  // at the root of `src`.
  { layer: 'application/*.ts', mayImport: ['application/', ...LIBRARY] },
  { layer: 'application/messages/', mayImport: LIBRARY },
  {
    layer: 'application/assume/',
    mayImport: ['application/messages/', ...LIBRARY],
  },
  {
    layer: 'application/cluster/',
    mayImport: [
      ...['js-yaml', '@kube-rules/types/schema', 'types/schema/expanded-aliases.ts', '@kube-rules/proxy-kit'],
      ...['application/assume/', 'application/messages/', 'types/manifests/', ...LIBRARY],
    ],
  },
  {
    layer: 'application/compare/',
    mayImport: ['types/manifests/', 'type application/cluster/', 'application/messages/', ...LIBRARY],
  },
  {
    layer: 'application/dump/',
    mayImport: ['type application/cluster/text-source.ts', 'application/messages/', ...LIBRARY],
  },
  {
    layer: 'application/print/',
    mayImport: [
      ...[
        'application/selectable-subsystem.ts',
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
      ...['application/cluster/', 'type application/documents.ts'],
      ...['application/dump/', 'application/messages/'],
      ...LIBRARY,
    ],
  },
  {
    layer: 'application/doctor/',
    mayImport: [
      ...[
        'type application/assume/',
        'application/cluster/',
        'type application/documents.ts',
        'application/explain/',
        'application/messages/',
      ],
      ...LIBRARY,
    ],
  },
  { layer: 'application/script/', mayImport: LIBRARY },
  { layer: 'application/verify/', mayImport: ['application/messages/', ...LIBRARY] },

  { layer: 'cli/', mayImport: ['node:', APPLICATION, ...LIBRARY] },

  // The playground: it imports only entry points; two folders may also import the packages of the editor.
  { layer: 'playground/*.ts', mayImport: ['playground/'] },
  { layer: 'playground/replacements/', mayImport: [] },
  { layer: 'playground/text/', mayImport: [] },
  { layer: 'playground/question/', mayImport: [TYPES, APPLICATION] },
  {
    layer: 'playground/engine/',
    mayImport: [...LIBRARY, APPLICATION, 'playground/question/', 'playground/text/'],
  },
  { layer: 'playground/dom/', mayImport: ['type @kube-rules/analyzer/view'] },
  {
    layer: 'playground/editor/',
    mayImport: ['@codemirror/', 'virtual:rule-words', 'playground/dom/', 'playground/text/', 'type playground/engine/'],
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
      ...['virtual:gallery', 'virtual:features', 'virtual:rule-words'],
      ...['playground/question/', 'playground/dom/', 'playground/editor/', 'playground/drawing/'],
      ...['type @kube-rules/application/cluster', '@kube-rules/application/dump'],
      ...['type playground/engine/', 'playground/engine/rule-line-numbers.ts'],
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
