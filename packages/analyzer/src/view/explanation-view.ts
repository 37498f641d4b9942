import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { Outcome, Packet } from '@kube-rules/types'
import { checkExplanation } from '../arguments/check-results.js'
import type { Divergence } from '../explain/difference.js'
import type { Explanation, OutcomeReason } from '../explain/explain-paths.js'
import { formatPathOutcome, formatUnmatched } from '../explain/format-path-outcome.js'
import type { OtherEndpoint } from '../explain/other-endpoint.js'
import { buildPathTree, type PathEnd, type PathTree } from '../explain/path-tree.js'
import { formatAffinity } from '../explain/reasons.js'
import type { Assumption } from '../program/assumptions.js'
import type { PathStep } from '../program/steps.js'
import type { TracePath } from '../trace/trace-paths.js'
import { buildView, createViewDraft, type ViewDraft } from './draft.js'
import { parseServiceReference, toRuleReference } from './references.js'
import type { View, ViewSeverity } from './view.js'

const ORIGINS: Readonly<Record<Packet['origin'], string>> = {
  pod: 'from a pod',
  node: 'locally generated',
  outside: 'from outside',
}

/**
 * Returns the view of an explanation: the packet, and below it the reason for the decision of the plan, then the
 * significant rules as a tree. Each path of the tree ends with an outcome. Forks show probabilities or assumptions.
 */
export function explanationView(explanation: Explanation): View {
  checkExplanation('explanation', explanation)
  const { packet, paths, reason, affinitySeconds } = explanation
  const servicePort = onlyOwnerOf(paths.flatMap(({ steps }) => steps))
  const about = { servicePort, objects: parseServiceReference(servicePort) }
  const children = [
    ...(reason === undefined ? ownerLines(paths, affinitySeconds) : whyLines(reason)).map((each) => ({
      ...each,
      ...about,
    })),
    ...treeLines(buildPathTree(paths)),
  ]
  return buildView([createViewDraft('packet', formatPacket(packet), { ...about, children })])
}

function formatPacket({ origin, source, isSourceUnknown, destination, destinationPort, protocol }: Packet): string {
  const to = formatDestination({ address: destination, port: destinationPort, protocol })
  return `${isSourceUnknown ? 'unknown source' : source} -> ${to}, ${ORIGINS[origin]}`
}

/**
 * Returns a line with the owners of the matching rules and the session affinity, for an explanation without a plan. No
 * line if there is neither.
 */
function ownerLines(paths: readonly TracePath[], affinitySeconds: number | undefined): readonly ViewDraft[] {
  const owners = ownersOf(paths.flatMap(({ steps }) => steps)).join(', ')
  const affinity = affinitySeconds === undefined ? '' : formatAffinity(affinitySeconds)
  const label = [owners, affinity].filter((text) => text !== '').join(': ')
  return label === '' ? [] : [createViewDraft('owner', label)]
}

function ownersOf(steps: readonly PathStep[]): readonly string[] {
  return [...new Set(steps.map(({ servicePort }) => servicePort).filter((owner) => owner !== ''))]
}

function onlyOwnerOf(steps: readonly PathStep[]): string | undefined {
  const [owner, ...others] = ownersOf(steps)
  return others.length === 0 ? owner : undefined
}

const DIFFERENCES: Readonly<Record<Divergence, { readonly text: string; readonly severity: ViewSeverity }>> = {
  drift: { text: 'the objects define a different outcome', severity: 'error' },
  modeLimitation: {
    text: 'differs from the outcome that the objects define, because of a limitation of this mode',
    severity: 'warning',
  },
  undetermined: {
    text: 'it is unknown whether the outcome differs from the one that the objects define',
    severity: 'warning',
  },
}

/**
 * Returns the Service and the reason. If the rules deviate, the reason explains only the outcome that the objects define,
 * so it follows that outcome.
 */
function whyLines({
  subject,
  reason,
  expectedOutcome,
  divergence = 'drift',
  otherEndpoint,
}: OutcomeReason): readonly ViewDraft[] {
  if (expectedOutcome === undefined)
    return [createViewDraft('reason', subject === '' ? reason : `${subject}: ${reason}`)]
  const { text, severity } = DIFFERENCES[divergence]
  const start =
    otherEndpoint === undefined
      ? text
      : `${formatOtherEndpoint(otherEndpoint)}, so the outcome may differ from the one that the objects define`
  const difference = `${start}: ${expectedOutcome} (${reason})`
  return [
    ...(subject === '' ? [] : [createViewDraft('owner', subject)]),
    createViewDraft('difference', difference, { severity }),
  ]
}

/** Virtual servers have no chain. */
function formatOtherEndpoint({ chain, endpoint }: OtherEndpoint): string {
  const container = chain === '' ? 'a virtual server' : `a rule of ${chain}`
  return `${container} sends packets to ${endpoint}, which is not an endpoint`
}

function treeLines(tree: PathTree): readonly ViewDraft[] {
  const { steps, branches, tail, end } = tree
  const lines = [
    ...createStepLines(steps).map((line) => stepDraft(line)),
    ...branches.map(branchDraft),
    ...createStepLines(tail).map((line) => stepDraft(line, 'then ')),
    ...(end === undefined ? [] : endLines(end)),
  ]
  return withWords(lines, tree)
}

/** Returns the line of one table or other hook handler, with its matching rules. */
function stepDraft({ text, steps }: StepLine, start = ''): ViewDraft {
  const servicePort = onlyOwnerOf(steps)
  return createViewDraft('step', start + text, {
    servicePort,
    objects: parseServiceReference(servicePort),
    rules: steps.map(toRuleReference),
  })
}

function branchDraft(branch: PathTree): ViewDraft {
  const [first = createViewDraft('fork', ''), ...rest] = treeLines(branch)
  // A branch without steps that immediately forks again has no text, so it becomes a line without a label above the
  // inner fork.
  if (first.isBranch) return createViewDraft('fork', '', { isBranch: true, children: [first, ...rest] })
  return { ...first, isBranch: true, children: [...first.children, ...rest] }
}

/**
 * Adds the condition of a branch to its lines: a probability at the start of the first line, or assumptions on a
 * separate line above.
 */
function withWords(lines: readonly ViewDraft[], { condition, share, steps, branches }: PathTree): readonly ViewDraft[] {
  const words = [share ?? '', condition.map(formatAssumption).join(', ')].filter((word) => word !== '').join(' ')
  if (words === '') return lines
  const [first = createViewDraft('fork', ''), ...rest] = lines
  const isApart = condition.length > 0 || (steps.length === 0 && branches.length > 0)
  if (isApart) return [createViewDraft('fork', words, { share }), ...lines]
  return [{ ...first, label: `${words} ${first.label}`, share }, ...rest]
}

function formatAssumption({ condition, value }: Assumption): string {
  return value ? `if ${condition}` : `unless ${condition}`
}

/** Returns the lines of an outcome. If several paths have this outcome, shows only their common steps. */
function endLines({ path, steps = [] }: PathEnd): readonly ViewDraft[] {
  const lines = createStepLines(steps).map((line, index) => stepDraft(line, index === 0 ? '… ' : ''))
  const { outcome } = path
  const text = outcome.kind === 'unmatched' ? formatUnmatched(path) : formatPathOutcome(path)
  return [...lines, createViewDraft('outcome', `=> ${text}`, { severity: SEVERITIES[outcome.kind] })]
}

const SEVERITIES: Readonly<Record<Outcome['kind'], ViewSeverity>> = {
  delivered: 'ok',
  proxy: 'ok',
  unmatched: 'none',
  rejected: 'warning',
  dropped: 'warning',
  unknown: 'warning',
}

/** One line about the steps in one table or other hook handler, with the steps. */
interface StepLine {
  /** `PREROUTING nat: KUBE-SERVICES > KUBE-SVC-… > DNAT --to-destination …`. */
  readonly text: string
  readonly steps: readonly PathStep[]
}

/** Returns one line per table or other hook handler that the steps pass. */
function createStepLines(steps: readonly PathStep[]): readonly StepLine[] {
  return byHookHandler(steps).map((group) => ({ text: hookHandlerLine(group), steps: group }))
}

/** The steps at one table or other hook handler; at least one. */
type HookHandlerSteps = [PathStep, ...PathStep[]]

function byHookHandler(steps: readonly PathStep[]): readonly HookHandlerSteps[] {
  const groups: HookHandlerSteps[] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last !== undefined && last[0].hook === step.hook && last[0].table === step.table) last.push(step)
    else groups.push([step])
  }
  return groups
}

function hookHandlerLine(steps: HookHandlerSteps): string {
  const [{ hook, table }] = steps
  const name = `${hook} ${table.replace('iptables ', '')}:`
  return steps.reduce((line, step, index) => line + connection(step, steps[index - 1]) + step.target, name)
}

/**
 * Returns the text between the steps `before` and the given step. The chain of the given step is omitted if `before`
 * jumps to it.
 */
function connection({ hook, chain }: PathStep, before: PathStep | undefined): string {
  if (before === undefined) return chain === hook || chain === '' ? ' ' : ` ${chain} > `
  if (chain === '' || before.jumpsTo === chain) return ' > '
  return `, ${chain} > `
}
