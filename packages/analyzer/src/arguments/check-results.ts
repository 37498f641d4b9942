import { checkChoice, checkList } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkShape } from '@kube-rules/compiler/internal/arguments/check-shape'

// Each check throws DiagnosticsError (`invalidArgument`) unless the argument has the shape of a result of this package.

const RULE = { location: 'text', text: 'text' } as const
const STEP = {
  hook: 'text',
  table: 'text',
  chain: 'text',
  text: 'text',
  target: 'text',
  jumpsTo: 'text',
  comment: 'text',
  servicePort: 'text',
} as const
const PATH = {
  outcome: { kind: 'text' },
  weight: 'text',
  assumptions: [{ condition: 'text', value: 'boolean' }],
  steps: [STEP],
} as const
const PACKET = {
  origin: 'text',
  protocol: 'text',
  source: 'text',
  destination: 'text',
  destinationPort: 'number',
} as const
const REASON = { reason: 'text', 'expectedOutcome?': 'text', 'divergence?': 'text' } as const

/** Checks that an argument is a result of `explain`. */
export function checkExplanation(name: string, value: unknown): void {
  const shape = { packet: PACKET, paths: [PATH], 'reason?': { ...REASON, subject: 'text' } } as const
  checkShape(name, value, shape, 'a result of explain')
}

/** Checks that an argument is a result of `trace`. Does not read the steps, because they are computed on demand. */
export function checkPaths(name: string, value: unknown): void {
  const { outcome, assumptions } = PATH
  checkShape(name, value, [{ outcome, assumptions }], 'the paths of a trace')
}

const FRONTEND = { owner: 'text', protocol: 'text', address: 'text', port: 'number' } as const
const ROW = { frontend: FRONTEND, outcomes: 'object', 'reason?': 'object' } as const

/** Checks that an argument is a result of `traceAllFrontends`. */
export function checkReachability(name: string, value: unknown): void {
  checkShape(name, value, [ROW], 'rows of traceAllFrontends')
}

/** Checks that an argument is one of the rows of `traceAllFrontends`. */
export function checkReachabilityRow(name: string, value: unknown): void {
  checkShape(name, value, ROW, 'a row of traceAllFrontends')
}

/** Checks that an argument is a diagnosis. */
export function checkDiagnosis(name: string, value: unknown): void {
  const step = { text: 'text', 'command?': 'text', 'outcome?': 'text', 'impact?': 'text', 'change?': 'object' } as const
  const texts = { summary: 'text', cause: 'text', object: 'text', rule: 'text', ruleStatus: 'text' } as const
  checkShape(name, value, { code: 'text', ...texts, 'location?': 'text', steps: [step] }, 'a diagnosis')
}

const DRIFT_ITEM = { subsystem: 'text', location: 'text', kind: 'text', reason: 'text' } as const
const DRIFT = [{ servicePort: 'text', drift: [DRIFT_ITEM] }] as const

/** Checks that an argument is the drift of one family. */
export function checkDrift(name: string, value: unknown): void {
  checkShape(name, value, DRIFT, 'the drift of a family, from a result of verify')
}

const FAMILY_REPORT = {
  family: 'text',
  caveats: [{ about: 'text', message: 'text' }],
  drift: DRIFT,
  unverified: [{ part: 'text', reason: 'text' }],
  otherChains: ['text'],
  kubeletChains: ['text'],
  repair: [{ tool: 'text', args: ['text'] }],
} as const

/** Checks that an argument is the report of one family. */
export function checkFamilyReport(name: string, value: unknown): void {
  checkShape(name, value, FAMILY_REPORT, 'the report of a family, from a result of verify')
}

/** Checks that an argument is a result of `verify`. */
export function checkReport(name: string, value: unknown): void {
  checkShape(name, value, { mode: 'text', verdict: 'text', families: [FAMILY_REPORT] }, 'a result of verify')
}

/**
 * Checks that an argument is a result of `compare`. Does not read the paths of a difference, because they may be
 * computed on demand.
 */
export function checkComparison(name: string, value: unknown): void {
  const difference = {
    packet: PACKET,
    condition: 'text',
    packetGroups: [{ destinations: ['text'], arrivals: ['text'], sources: ['text'] }],
    classes: 'number',
    services: ['text'],
    a: 'object',
    b: 'object',
    'occupied?': [{ destination: 'text', occupant: 'text' }],
    'causes?': [{ version: 'text', feature: 'text' }],
  } as const
  const limitation = { side: 'text', code: 'text', classes: 'number' } as const
  const shape = {
    equal: 'boolean',
    classes: 'number',
    differences: [difference],
    inconclusive: [difference],
    'contested?': [difference],
    'expected?': { classes: 'number', limitations: [limitation] },
    'notCompared?': ['text'],
  } as const
  checkShape(name, value, shape, 'a result of compare')
}

/** Checks that an argument is a list of results of `compare`. */
export function checkComparisons(name: string, value: unknown): void {
  for (const comparison of checkList(name, value, 'a list of comparisons')) checkComparison(name, comparison)
}

/** Checks that an argument is the names of two compared sides. */
export function checkSideNames(name: string, value: unknown): void {
  checkShape(name, value, { 0: 'text', 1: 'text' }, 'two names')
}

/** Checks that an argument is a view, and that the kind of the view and of each node below it is one of `kinds`. */
export function checkView(name: string, value: unknown, kinds: readonly string[]): void {
  const node = { id: 'text', kind: 'text', label: 'text', severity: 'text', isBranch: 'boolean' } as const
  const lists = { objects: [{ kind: 'text', name: 'text' }], rules: [RULE], 'cells?': ['text'] } as const
  checkShape(name, value, [{ ...node, ...lists, children: ['object'] }], 'a view')
  for (const { kind, children } of value as readonly { readonly kind: string; readonly children: unknown }[]) {
    checkChoice(name, kind, kinds, 'kind')
    checkView(name, children, kinds)
  }
}
