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
  node: 'made on the node',
  outside: 'from outside',
}

/**
 * The packet, and below it the plan's reason, then the rules that lead somewhere as a tree, each end with its outcome. Where
 * ways part stands how likely each is, or what it takes for granted.
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

/** Without a plan the rules tell whose they are. */
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
  rules: { text: 'the objects ask for something else', severity: 'error' },
  mode: {
    text: 'the objects ask for something else, which kube-proxy does not do in this mode',
    severity: 'warning',
  },
  unknown: {
    text: 'it depends on what cannot be told whether this is what the objects ask for',
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

/** One line for each table or other station, and its rules. */
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
  // A way that parts again at once, of which nothing is said.
  if (first.isBranch) return draft('fork', '', { isBranch: true, children: [first, ...rest] })
  return { ...first, isBranch: true, children: [...first.children, ...rest] }
}

/** In front of the lines how likely these ways are; above them what they take for granted, and where they fork at once. */
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

/** Where several ways end alike they are parted before, which is of no interest to them. */
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
