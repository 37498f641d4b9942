import * as compiler from '@kube-rules/compiler'
import {
  type CompileResult,
  cleanUp,
  compile,
  createTracker,
  diff,
  print,
  runCommands,
  toCommands,
} from '@kube-rules/compiler'
import * as ipvs from '@kube-rules/compiler/ipvs'
import * as plan from '@kube-rules/compiler/plan'
import * as types from '@kube-rules/types'
import { DiagnosticsError, type Packet } from '@kube-rules/types'
import * as manifests from '@kube-rules/types/manifests'
import * as schema from '@kube-rules/types/schema'
import { describe, expect, it } from 'vitest'
import { at, service, slice } from '../../compiler/test/support/objects.js'
import * as comparing from '../src/entries/compare.js'
import * as explaining from '../src/entries/explain.js'
import * as verifying from '../src/entries/verify.js'
import * as viewing from '../src/entries/view.js'
import * as analyzer from '../src/index.js'
import { compare, explain, isEmptyDump, parseDump, trace, traceAllFrontends, verify } from '../src/index.js'

// Misuse of a public function throws a DiagnosticsError with the code invalidArgument: never a TypeError, and never an
// answer such as an empty text.

const INPUT = {
  configuration: { clusterCIDR: '10.244.0.0/16' },
  services: [service()],
  endpointSlices: [slice(at('10.244.1.5'))],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
}
const RESULT = compile(INPUT, { nodeName: 'node-1' })
const [FAMILY, FAMILY6] = RESULT.families as [CompileResult['families'][number], CompileResult['families'][number]]
const { state: STATE, plan: PLAN } = FAMILY
const PATCH = diff(undefined, RESULT)
const PACKET: Packet = {
  ...{ origin: 'pod', source: '10.244.9.9', protocol: 'TCP' },
  ...{ destination: '10.96.0.1', destinationPort: 80 },
}
const PARSED = parseDump(print(STATE, { format: 'save' }))
if (!PARSED.ok) throw new Error('the text of a state is a dump')
const DUMP = PARSED.value
const DIAGNOSTIC = {
  severity: 'error',
  code: 'invalidPort',
  object: { kind: 'Service', name: 'web' },
  message: 'no port',
}

const PATHS = trace(STATE, PACKET)
const EXPLANATION = explain(STATE, PACKET, { plan: PLAN })
const ROWS = traceAllFrontends(STATE, { plan: PLAN })
const REPORT = verify(RESULT, DUMP)
const [FAMILY_REPORT] = REPORT.families
const COMPARISON = compare(STATE, STATE)
const DIAGNOSIS = {
  ...{
    code: 'noRules',
    summary: 'summary',
    cause: 'cause',
    object: 'Service d/web',
    rule: 'nat/X',
    ruleStatus: 'missing',
  },
  steps: [{ text: 'wait' }],
}
const VIEW = viewing.diagnosisView(DIAGNOSIS as Parameters<typeof viewing.diagnosisView>[0])
const SOURCE_CONTEXT = explaining.createSourceContext(STATE, {}, PLAN)
const SERVERS = {
  virtualServers: [
    {
      ...{ address: '10.96.0.1', port: 80, protocol: 'TCP', scheduler: 'rr', flags: 0, timeout: 0 },
      realServers: [{ address: '10.244.1.5', port: 8080, forwarding: 'masquerade', weight: 1 }],
    },
  ],
}
const SERVER_CHANGES = ipvs.terminateGracefully({
  ...{ family: 'IPv4', previous: { virtualServers: [] }, next: SERVERS as ipvs.IpvsState, terminating: [] },
  connections: () => 0,
}).changes

const anyFunction = () => 0

function createRevoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Every kind of public value, and other values. */
const VALUES: Readonly<Record<string, unknown>> = {
  input: INPUT,
  result: RESULT,
  'copy of a result': structuredClone(RESULT),
  'family result': FAMILY,
  state: STATE,
  'IPv6 state': FAMILY6.state,
  'state of iptables': STATE.iptables,
  plan: PLAN,
  patch: PATCH,
  'family patch': PATCH.families[0],
  commands: toCommands(PATCH),
  dump: DUMP,
  'parse result': PARSED,
  packet: PACKET,
  'IPv6 packet': { ...PACKET, source: 'fd00::9', destination: 'fd00:10:96::1' },
  paths: PATHS,
  explanation: EXPLANATION,
  rows: ROWS,
  report: REPORT,
  comparison: COMPARISON,
  diagnosis: DIAGNOSIS,
  view: VIEW,
  'source context': SOURCE_CONTEXT,
  'state of ipvs': SERVERS,
  'changes of servers': SERVER_CHANGES,
  diagnostic: DIAGNOSTIC,
  tracker: createTracker(),
  undefined: undefined,
  null: null,
  number: 42,
  'not a number': Number.NaN,
  true: true,
  text: 'text',
  'empty text': '',
  symbol: Symbol('s'),
  'empty list': [],
  'list of null': [null],
  'empty object': {},
  'object without prototype': Object.create(null),
  'object with family': { family: 'IPv4' },
  'state with an unknown field': { ...STATE, iptable: {} },
  'state with an invalid subsystem': { family: 'IPv4', iptables: {} },
  'result without families': { mode: 'iptables', families: null },
  'patch of null': { families: [null] },
  function: () => undefined,
  Map: new Map(),
  Date: new Date(0),
  Set: new Set(['text']),
  'typed array': new Uint8Array(3),
  'regular expression': /x/,
  error: new Error('x'),
  promise: Promise.resolve(1),
  bigint: 1n,
  infinity: Number.POSITIVE_INFINITY,
  negative: -1,
  'text of control characters': '\u0000\r\n\u001b[31m',
  'name of Object.prototype': '__proto__',
  'list of lists': [[]],
  'list of text': ['text'],
  'list of objects': [{}],
  'sparse list': new Array(3),
  'own __proto__': JSON.parse('{"__proto__": {"family": "IPv4"}}'),
}

/** Values that throw when they are read. Functions report them in place of the objects of a cluster. */
const THROWING_VALUES: Readonly<Record<string, unknown>> = {
  'throwing field': {
    get family(): string {
      throw new RangeError('unreadable')
    },
  },
  'revoked proxy': createRevoked(),
  'list of a revoked proxy': [createRevoked()],
}

/** The functions that read objects of a cluster. */
const READERS = /^(?:compile|safeCompile|compileNodes|findChangedNodes|parseManifests|safeParse\w+)$/

/** Valid arguments of every public function; options have every field. */
const CALLS: Readonly<Record<string, readonly unknown[]>> = {
  compile: [
    INPUT,
    {
      nodeName: 'node-1',
      mode: 'iptables',
      kubernetesVersion: '1.30',
      families: ['IPv4'],
      strict: true,
      previous: RESULT,
    },
  ],
  safeCompile: [
    INPUT,
    {
      nodeName: 'node-1',
      mode: 'iptables',
      kubernetesVersion: '1.30',
      families: ['IPv4'],
      strict: true,
      previous: RESULT,
    },
  ],
  findChangedNodes: [INPUT, INPUT, { nodeNames: ['node-1'], families: ['IPv4'] }],
  compileNodes: [
    INPUT,
    {
      mode: 'iptables',
      kubernetesVersion: '1.30',
      families: ['IPv4'],
      strict: true,
      nodeNames: ['node-1'],
      previous: new Map(),
    },
  ],
  print: [STATE, { subsystem: 'iptables', format: 'save', backend: 'nft', listing: { verbose: true } }],
  diff: [RESULT, RESULT],
  toCommands: [PATCH, { backend: 'nft', keepsConnections: true, canBatchConntrack: true }],
  runCommands: [[], anyFunction],
  cleanUp: [STATE, { mode: 'iptables', kubernetesVersion: '1.30' }],
  reconcile: [DUMP, RESULT, {}],
  createTracker: [{ nodeName: 'node-1', configuration: {}, host: {}, actual: DUMP }],
  formatDiagnostic: [DIAGNOSTIC],
  applyPatch: [new Map(), PATCH],
  parseConntrack: [''],
  cleanStaleEntries: [RESULT, [], { canBatchConntrack: true }],
  assembleStates: [new Map()],
  invertPatch: [PATCH],
  isEmptyPatch: [PATCH],
  digestOf: [STATE],
  toResources: [[STATE]],
  formatsOf: ['iptables'],
  isDumpedByFamily: ['iptables'],
  listModes: [],
  listSubsystems: [],
  subsystemsOf: ['iptables'],
  isProxyMode: ['nftables'],
  versionsOf: ['iptables'],
  parseDump: ['', { family: 'IPv4', lenient: false }],
  isEmptyDump: [DUMP],
  trace: [STATE, PACKET, { addresses: ['192.168.0.2'], affinity: [] }],
  explain: [STATE, PACKET, { plan: PLAN, nodes: INPUT.nodes, compiled: STATE, addresses: [], affinity: [] }],
  traceAllFrontends: [STATE, { plan: PLAN, nodes: INPUT.nodes, compiled: STATE, addresses: [], affinity: [] }],
  compare: [STATE, STATE, { addresses: [], destinations: [], knownLimitationsOf: undefined, plans: {} }],
  prove: [RESULT, { destinations: ['10.96.0.1'], maxClasses: 10 }],
  verify: [RESULT, DUMP, { backend: 'nft', complete: true }],
  formatReference: [DIAGNOSTIC.object],
  decide: [PLAN, PACKET],
  findStaleConnections: [PLAN, PLAN],
  diffPlans: [PLAN, PLAN],
  listDestinations: [PLAN],
  findVersionsOfDump: ['nftables', DUMP],
  findNodeVersion: [INPUT.nodes, 'node-1', INPUT.configuration, 'iptables'],
  parseVersion: ['v1.30.1'],
  removalBehaviorOf: ['1.30'],
  terminateGracefully: [
    {
      ...{ family: 'IPv4', previous: SERVERS, next: SERVERS, terminating: [], connections: anyFunction },
      ...{ firstSync: false, weightsReset: true, emptiedFirst: false, deletedAtOnce: ['UDP'] },
      excludeCidrs: [{ family: 'IPv4', address: '10.0.0.0', prefixLength: 8 }],
    },
  ],
  recheckTerminating: [SERVERS, ['10.96.0.1:80/TCP/10.244.1.5:8080'], anyFunction, ['UDP']],
  toTerminationCommands: [SERVER_CHANGES],
  findRuleChanges: [INPUT, { nodeName: 'node-1' }, ['1.30', '1.31']],
  createVersionExplainer: [INPUT, { nodeName: 'node-1' }, ['1.30', '1.31']],
  createRejectionExplainer: [INPUT, RESULT],
  formatCodeSpan: ['text'],
  shortenName: ['text'],
  printComparison: [COMPARISON, ['old', 'new']],
  printComparisonMarkdown: [[COMPARISON], ['old', 'new'], { warnings: ['text'], notes: ['text'] }],
  annotateOwners: [STATE, STATE],
  classifySource: ['10.244.9.9', SOURCE_CONTEXT],
  createExampleSource: ['pod', SOURCE_CONTEXT],
  createSourceContext: [STATE, { addresses: [], affinity: [] }, PLAN],
  createTracer: [STATE, { addresses: [], affinity: [] }],
  createVerifiedTemplateLookup: [STATE, STATE, { addresses: [] }, []],
  diagnosePacket: [
    EXPLANATION,
    STATE,
    { result: RESULT, from: { input: INPUT, options: {} }, established: false, report: FAMILY_REPORT, addresses: [] },
  ],
  findNodePortAddress: [{ addresses: ['192.168.0.2'] }, PLAN],
  listFrontends: [STATE, { plan: PLAN }],
  createRuleLocator: [['text']],
  hasNatServiceRules: [STATE],
  addExpectedChains: [STATE, STATE],
  isInKubernetesChain: [{ table: 'iptables nat', chain: 'KUBE-SERVICES' }],
  isUndetermined: [PATHS],
  isDelivered: [ROWS[0], 'pod'],
  isUndeterminedRow: [ROWS[0]],
  printDiagnosis: [DIAGNOSIS],
  printExplanation: [EXPLANATION],
  printReachability: [ROWS],
  traceContextFor: [PLAN],
  diagnoseBackends: [RESULT, [{ name: 'a', dump: DUMP, report: REPORT }], { input: INPUT }],
  diagnoseNode: [RESULT, DUMP, REPORT, { input: INPUT }],
  inferHost: [DUMP, 'iptables'],
  printReport: [REPORT, 'the objects'],
  caveatsView: [REPORT, 'the objects'],
  comparisonView: [COMPARISON, ['old', 'new']],
  concatViews: [[VIEW]],
  coverageView: [REPORT],
  createLinePrinter: [],
  diagnosisView: [DIAGNOSIS],
  explanationView: [EXPLANATION],
  findLoadBalancerHosts: [INPUT.services],
  findRuleLines: [viewing.printLines(STATE), { location: 'nat/KUBE-SERVICES', text: '' }],
  printLines: [STATE, { subsystem: 'iptables', format: 'save', backend: 'nft' }],
  printView: [VIEW],
  reachabilityView: [ROWS],
  recognizePrograms: [viewing.printLines(STATE)],
  reportView: [REPORT, 'the objects'],
  sourceObjectsOf: [RESULT, 'default/web:http/TCP'],
  assumeMissing: [
    { objects: { ...INPUT, endpoints: [] }, documents: [service()], namespace: 'default' },
    { nodeName: 'node-1', hasHost: false, alongside: { objects: { ...INPUT, endpoints: [] }, documents: [] } },
  ],
  parseManifests: [[service()], { parseYaml: JSON.parse, namespace: 'default', previous: undefined }],
  safeParseEndpointSlice: [slice(at('10.244.1.5'))],
  safeParseEndpoints: [{ metadata: { name: 'web' } }],
  safeParseHost: [{}],
  safeParseKubeProxyConfiguration: [{}],
  safeParseNode: [INPUT.nodes[0]],
  safeParseService: [service()],
  safeParseServiceCIDR: [{ metadata: { name: 'a' } }],
}

const ENTRIES = [types, schema, manifests, compiler, plan, ipvs, analyzer, comparing, explaining, verifying, viewing]
const FUNCTIONS = ENTRIES.flatMap((entry) => Object.entries<unknown>({ ...entry })).filter(
  ([name, value], index, all) =>
    typeof value === 'function' && name !== 'DiagnosticsError' && all.findIndex(([other]) => other === name) === index,
) as [string, (...args: readonly unknown[]) => unknown][]

/** Calls a function, then reads every property of its result and calls every function in it. */
async function outcomeOf(call: () => unknown): Promise<'returns' | 'invalidArgument'> {
  try {
    const returned = await call()
    if (returned !== null && typeof returned === 'object' && Symbol.iterator in returned) {
      Array.from(returned as Iterable<unknown>)
    }
    return 'returns'
  } catch (error) {
    if (error instanceof DiagnosticsError) return 'invalidArgument'
    throw error
  }
}

function replaceAt(args: readonly unknown[], index: number, value: unknown): readonly unknown[] {
  return args.map((each, place) => (place === index ? value : each))
}

function valuesFor(name: string): Readonly<Record<string, unknown>> {
  return READERS.test(name) ? { ...VALUES, ...THROWING_VALUES } : VALUES
}

/** Returns copies of the arguments, each with the argument at `index`, or one of its fields, replaced. */
function variantsOf(
  args: readonly unknown[],
  index: number,
  values: Readonly<Record<string, unknown>>,
): readonly (readonly [string, readonly unknown[]])[] {
  const own = args[index]
  return Object.entries(values).flatMap(([name, value]) => {
    const isOptions = typeof own === 'object' && own !== null && Object.getPrototypeOf(own) === Object.prototype
    const fields =
      isOptions && ![INPUT, RESULT, STATE, PLAN, PATCH, DUMP].includes(own as never) ? Object.keys(own) : []
    return [
      [name, replaceAt(args, index, value)] as const,
      ...fields.map(
        (field) => [`${field}: ${name}`, replaceAt(args, index, { ...(own as object), [field]: value })] as const,
      ),
    ]
  })
}

describe('public functions', () => {
  it('return a result for valid arguments', () => {
    expect(FUNCTIONS.map(([name]) => name).sort()).toEqual(Object.keys(CALLS).sort())
  })

  it.each(FUNCTIONS)('%s rejects invalid arguments only with a DiagnosticsError', async (name, callee) => {
    const args = CALLS[name] ?? []
    expect(await outcomeOf(() => callee(...args))).toBe('returns')
    for (const index of args.keys()) {
      for (const [variant, given] of variantsOf(args, index, index === 0 ? valuesFor(name) : VALUES)) {
        await expect(
          outcomeOf(() => callee(...given)),
          `argument ${index} is ${variant}`,
        ).resolves.toBeDefined()
      }
    }
  })

  it.each(FUNCTIONS)(
    '%s returns a result or throws a DiagnosticsError if all arguments are the same value',
    async (_, callee) => {
      for (const [variant, value] of Object.entries(VALUES)) {
        await expect(
          outcomeOf(() => callee(value, value, value)),
          variant,
        ).resolves.toBeDefined()
      }
    },
  )
})

/** The problem of the argument that a call throws. */
function problemOf(call: () => unknown): Readonly<Record<string, unknown>> {
  try {
    call()
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    const { code, object, path, expected } = error.diagnostics[0] ?? {}
    return { code, name: object?.name, path, expected }
  }
  throw new Error('nothing was thrown')
}

const NODE_STATE = 'a node state, such as `state` of a family result or one family of a dump'

describe('a public function', () => {
  it('print rejects the result of one family', () => {
    // @ts-expect-error: neither does TypeScript accept it.
    const call = () => print(FAMILY)
    expect(problemOf(call)).toEqual({
      code: 'invalidArgument',
      name: 'state',
      path: undefined,
      expected: 'its field `state`',
    })
  })

  it('print rejects a compile result, a plan, or the state of one subsystem', () => {
    // @ts-expect-error: a result has no family.
    expect(problemOf(() => print(RESULT))).toMatchObject({ code: 'invalidArgument', expected: NODE_STATE })
    // @ts-expect-error: a plan has Services.
    expect(problemOf(() => print(PLAN))).toMatchObject({ code: 'invalidArgument', expected: NODE_STATE })
    const { iptables = { family: 'IPv4', tables: [] } } = STATE
    // @ts-expect-error: the state of one subsystem has tables.
    expect(problemOf(() => print(iptables))).toMatchObject({ code: 'invalidArgument', path: 'tables' })
  })

  it('compare rejects the results of two families', () => {
    // @ts-expect-error: neither does TypeScript accept them.
    const call = () => compare(FAMILY, FAMILY)
    expect(problemOf(call)).toEqual({
      code: 'invalidArgument',
      name: 'a',
      path: undefined,
      expected: 'its field `state`',
    })
  })

  it('compare rejects states of different families', () => {
    expect(problemOf(() => compare(STATE, FAMILY6.state))).toEqual({
      ...{ code: 'invalidArgument', name: 'b', path: 'family', expected: 'IPv4' },
    })
  })

  it('trace rejects a compile result or a packet of the other family', () => {
    // @ts-expect-error: neither does TypeScript accept it.
    expect(problemOf(() => trace(RESULT, PACKET))).toMatchObject({ code: 'invalidArgument', expected: NODE_STATE })
    expect(problemOf(() => trace(FAMILY6.state, PACKET))).toMatchObject({
      path: 'source',
      expected: 'an address of IPv6',
    })
  })

  it.each([
    ['destination', '010.96.0.10', '10.96.0.10'],
    ['source', '::ffff:10.1.1.1', '10.1.1.1'],
  ] as const)(
    'trace names the canonical form of an IPv4 address in another form: %s %s',
    (field, address, canonical) => {
      const call = () => trace(STATE, { ...PACKET, [field]: address })
      expect(problemOf(call)).toMatchObject({ code: 'invalidArgument', path: field, expected: canonical })
    },
  )

  it('trace names the canonical form of an IPv6 address in another form', () => {
    const call = () => trace(FAMILY6.state, { ...PACKET, source: 'FD00:0::A', destination: 'fd00::b' })
    expect(problemOf(call)).toMatchObject({ code: 'invalidArgument', path: 'source', expected: 'fd00::a' })
  })

  it.each([STATE, FAMILY])('diff rejects node states and family results', (part) => {
    // @ts-expect-error: neither does TypeScript accept them.
    expect(() => diff(part, part)).toThrow(
      'error: Argument previous: a family result or a node state is not a result of compile (expected a result of compile) [invalidArgument]',
    )
  })

  it('toCommands rejects an update of a tracker', () => {
    const update = createTracker().sync()
    // @ts-expect-error: its field `patch` is the patch.
    expect(() => toCommands(update)).toThrow(
      'error: Argument patch: an update of a tracker is not a patch (expected its field `patch`) [invalidArgument]',
    )
  })

  it('cleanUp rejects an unknown mode or a version without the mode', () => {
    // @ts-expect-error: neither does TypeScript accept it.
    expect(problemOf(() => cleanUp(STATE, { mode: 'kernelspace' }))).toMatchObject({
      ...{ code: 'invalidArgument', name: 'options', path: 'mode' },
    })
    expect(problemOf(() => cleanUp(STATE, { mode: 'userspace', kubernetesVersion: '1.31' }))).toMatchObject({
      ...{ code: 'invalidArgument', name: 'options', path: 'kubernetesVersion' },
      expected: expect.stringContaining('userspace: 1.14 to 1.25'),
    })
  })

  it('verify rejects one family of a dump, and isEmptyDump rejects a parse result', () => {
    // @ts-expect-error: neither does TypeScript accept it.
    expect(problemOf(() => verify(RESULT, STATE))).toMatchObject({ code: 'invalidArgument', path: 'IPv4' })
    // @ts-expect-error: its value is the dump.
    expect(() => isEmptyDump(PARSED)).toThrow(
      'error: Argument dump: a parse result is not a dump (expected its field `value`) [invalidArgument]',
    )
  })

  it('compile rejects an invalid previous result', () => {
    // @ts-expect-error: neither does TypeScript accept it.
    const call = () => compile(INPUT, { previous: FAMILY })
    expect(problemOf(call)).toMatchObject({
      code: 'invalidArgument',
      name: 'options.previous',
      expected: 'a result of compile',
    })
  })

  it('runCommands rejects a patch', async () => {
    // @ts-expect-error: neither does TypeScript accept it.
    await expect(runCommands(PATCH, anyFunction)).rejects.toThrow(DiagnosticsError)
  })
})
