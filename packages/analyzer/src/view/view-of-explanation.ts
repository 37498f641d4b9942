import type { Assumption, Step } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { destinationText } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-text'
import type { Outcome, Packet } from '@kube-rules/types'
import { type DifferenceKind, outcomeText } from '../explain/difference.js'
import type { Explanation, Why } from '../explain/explain-ways.js'
import { type StepLine, stepLines } from '../explain/step-lines.js'
import { type WayEnd, type WayTree, wayTree } from '../explain/way-tree.js'
import type { Way } from '../trace/trace-ways.js'
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
export function viewOfExplanation({ packet, ways, why }: Explanation): View {
  const servicePort = onlyOwnerOf(ways.flatMap(({ steps }) => steps))
  const about = { servicePort, objects: serviceOf(servicePort) }
  const children = [
    ...(why === undefined ? ownerLines(ways) : whyLines(why)).map((each) => ({ ...each, ...about })),
    ...treeLines(wayTree(ways)),
  ]
  return viewOf([draft('packet', packetText(packet), { ...about, children })])
}

function packetText({ origin, source, destination, destinationPort, protocol }: Packet): string {
  const to = destinationText({ address: destination, port: destinationPort, protocol })
  return `${source} -> ${to}, ${ORIGINS[origin]}`
}

/** Returns the owners according to the rules, if there is no plan. */
function ownerLines(ways: readonly Way[]): readonly Draft[] {
  const owners = ownersOf(ways.flatMap(({ steps }) => steps))
  return owners.length === 0 ? [] : [draft('owner', owners.join(', '))]
}

function ownersOf(steps: readonly Step[]): readonly string[] {
  return [...new Set(steps.map(({ owner }) => owner).filter((owner) => owner !== ''))]
}

function onlyOwnerOf(steps: readonly Step[]): string | undefined {
  const [owner, ...others] = ownersOf(steps)
  return others.length === 0 ? owner : undefined
}

const DIFFERENCES: Readonly<Record<DifferenceKind, { readonly text: string; readonly severity: ViewSeverity }>> = {
  rules: { text: 'the objects expect something else', severity: 'error' },
  mode: {
    text: 'differs from the objects, a limitation of this mode',
    severity: 'warning',
  },
  unknown: {
    text: 'undetermined whether the objects differ; they expect',
    severity: 'warning',
  },
}

function whyLines({ subject, reason, otherwise, difference = 'rules' }: Why): readonly Draft[] {
  const reasonLine = draft('reason', subject === '' ? reason : `${subject}: ${reason}`)
  if (otherwise === undefined) return [reasonLine]
  const { text, severity } = DIFFERENCES[difference]
  return [reasonLine, draft('difference', `${text}: ${otherwise}`, { severity })]
}

function treeLines(tree: WayTree): readonly Draft[] {
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

function branchDraft(branch: WayTree): Draft {
  const [first = draft('fork', ''), ...rest] = treeLines(branch)
  // A branch that forks again immediately, without text.
  if (first.isBranch) return draft('fork', '', { isBranch: true, children: [first, ...rest] })
  return { ...first, isBranch: true, children: [...first.children, ...rest] }
}

/** Adds the text of a fork: the probability before the lines, or assumptions and immediate forks above them. */
function withWords(lines: readonly Draft[], { given, share, steps, branches }: WayTree): readonly Draft[] {
  const words = [share ?? '', given.map(assumptionText).join(', ')].filter((word) => word !== '').join(' ')
  if (words === '') return lines
  const [first = draft('fork', ''), ...rest] = lines
  const isApart = given.length > 0 || (steps.length === 0 && branches.length > 0)
  if (isApart) return [draft('fork', words, { share }), ...lines]
  return [{ ...first, label: `${words} ${first.label}`, share }, ...rest]
}

function assumptionText({ what, holds }: Assumption): string {
  return holds ? `if ${what}` : `unless ${what}`
}

/** Returns the end of paths. If several paths have equal outcome, their different steps are omitted. */
function endLines({ way: { outcome }, steps = [] }: WayEnd): readonly Draft[] {
  const lines = stepLines(steps).map((line, index) => stepDraft(line, index === 0 ? '… ' : ''))
  return [...lines, draft('outcome', `=> ${outcomeText(outcome)}`, { severity: SEVERITIES[outcome.kind] })]
}

const SEVERITIES: Readonly<Record<Outcome['kind'], ViewSeverity>> = {
  delivered: 'good',
  proxy: 'good',
  passes: 'none',
  rejected: 'warning',
  dropped: 'warning',
  unknown: 'warning',
}
