import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import type { Assumption, Step } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { Outcome, Packet } from '@kube-rules/types'
import { type Divergence, formatOutcome } from '../explain/difference.js'
import type { Explanation, Reason } from '../explain/explain-paths.js'
import { type PathEnd, type PathTree, pathTree } from '../explain/path-tree.js'
import { type StepLine, stepLines } from '../explain/step-lines.js'
import type { TracePath } from '../trace/trace-paths.js'
import { type Draft, draft, viewOf } from './draft.js'
import { ruleOfStep, serviceOf } from './references.js'
import type { View, ViewSeverity } from './view.js'

const ORIGINS: Readonly<Record<Packet['origin'], string>> = {
  pod: 'from a pod',
  node: 'locally generated',
  outside: 'from outside',
}

/**
 * Returns the view of an explanation: the packet, and below it the reason of the plan, followed by the significant
 * rules as a tree, with an outcome at each end. Forks show probabilities or assumptions.
 */
export function explanationView(explanation: Explanation): View {
  const { packet, paths, reason } = explanation
  const servicePort = onlyOwnerOf(paths.flatMap(({ steps }) => steps))
  const about = { servicePort, objects: serviceOf(servicePort) }
  const children = [
    ...(reason === undefined ? ownerLines(paths) : whyLines(reason)).map((each) => ({ ...each, ...about })),
    ...treeLines(pathTree(paths)),
  ]
  return viewOf([draft('packet', formatPacket(packet), { ...about, children })])
}

function formatPacket({ origin, source, destination, destinationPort, protocol }: Packet): string {
  const to = formatDestination({ address: destination, port: destinationPort, protocol })
  return `${source} -> ${to}, ${ORIGINS[origin]}`
}

/** Returns the owners according to the rules, if there is no plan. */
function ownerLines(paths: readonly TracePath[]): readonly Draft[] {
  const owners = ownersOf(paths.flatMap(({ steps }) => steps))
  return owners.length === 0 ? [] : [draft('owner', owners.join(', '))]
}

function ownersOf(steps: readonly Step[]): readonly string[] {
  return [...new Set(steps.map(({ servicePort }) => servicePort).filter((owner) => owner !== ''))]
}

function onlyOwnerOf(steps: readonly Step[]): string | undefined {
  const [owner, ...others] = ownersOf(steps)
  return others.length === 0 ? owner : undefined
}

const DIFFERENCES: Readonly<Record<Divergence, { readonly text: string; readonly severity: ViewSeverity }>> = {
  drift: { text: 'the objects expect something else', severity: 'error' },
  modeLimitation: {
    text: 'differs from the objects, a limitation of this mode',
    severity: 'warning',
  },
  undetermined: {
    text: 'undetermined whether the objects differ; they expect',
    severity: 'warning',
  },
}

function whyLines({ subject, reason, expectedOutcome, divergence = 'drift' }: Reason): readonly Draft[] {
  const reasonLine = draft('reason', subject === '' ? reason : `${subject}: ${reason}`)
  if (expectedOutcome === undefined) return [reasonLine]
  const { text, severity } = DIFFERENCES[divergence]
  return [reasonLine, draft('difference', `${text}: ${expectedOutcome}`, { severity })]
}

function treeLines(tree: PathTree): readonly Draft[] {
  const { steps, branches, tail, end } = tree
  const lines = [
    ...stepLines(steps).map((line) => stepDraft(line)),
    ...branches.map(branchDraft),
    ...stepLines(tail).map((line) => stepDraft(line, 'then ')),
    ...(end === undefined ? [] : endLines(end)),
  ]
  return withWords(lines, tree)
}

/** Returns one line per table or other hook handler, with its rules. */
function stepDraft({ text, steps }: StepLine, start = ''): Draft {
  const servicePort = onlyOwnerOf(steps)
  return draft('step', start + text, {
    servicePort,
    objects: serviceOf(servicePort),
    rules: steps.map(ruleOfStep),
  })
}

function branchDraft(branch: PathTree): Draft {
  const [first = draft('fork', ''), ...rest] = treeLines(branch)
  // A branch that forks again immediately, without text.
  if (first.isBranch) return draft('fork', '', { isBranch: true, children: [first, ...rest] })
  return { ...first, isBranch: true, children: [...first.children, ...rest] }
}

/** Adds the text of a fork: the probability before the lines, or assumptions and immediate forks above them. */
function withWords(lines: readonly Draft[], { condition, share, steps, branches }: PathTree): readonly Draft[] {
  const words = [share ?? '', condition.map(formatAssumption).join(', ')].filter((word) => word !== '').join(' ')
  if (words === '') return lines
  const [first = draft('fork', ''), ...rest] = lines
  const isApart = condition.length > 0 || (steps.length === 0 && branches.length > 0)
  if (isApart) return [draft('fork', words, { share }), ...lines]
  return [{ ...first, label: `${words} ${first.label}`, share }, ...rest]
}

function formatAssumption({ condition, value }: Assumption): string {
  return value ? `if ${condition}` : `unless ${condition}`
}

/** Returns the end of paths. If several paths have equal outcome, their different steps are omitted. */
function endLines({ path: { outcome }, steps = [] }: PathEnd): readonly Draft[] {
  const lines = stepLines(steps).map((line, index) => stepDraft(line, index === 0 ? '… ' : ''))
  return [
    ...lines,
    draft('outcome', `=> ${outcome.kind === 'unmatched' ? 'not handled by kube-proxy' : formatOutcome(outcome)}`, {
      severity: SEVERITIES[outcome.kind],
    }),
  ]
}

const SEVERITIES: Readonly<Record<Outcome['kind'], ViewSeverity>> = {
  delivered: 'ok',
  proxy: 'ok',
  unmatched: 'none',
  rejected: 'warning',
  dropped: 'warning',
  unknown: 'warning',
}
