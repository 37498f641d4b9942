import type { Packet } from '@kube-rules/types'
import type { Assumption } from '../dataplane/netfilter/branch.js'
import { destinationText } from '../dataplane/netfilter/destination-text.js'
import { add, fractionText } from '../internal/fraction.js'
import type { Way } from '../trace/trace.js'
import { type Explanation, outcomeText, type Why } from './explain.js'
import { stepLines } from './step-lines.js'
import { type StepTree, stepTree } from './step-tree.js'

const ORIGINS: Readonly<Record<Packet['origin'], string>> = {
  pod: 'from a pod',
  node: 'made on the node',
  outside: 'from outside',
}

/**
 * The explanation as text of whole lines: the packet, the plan's reason, then the rules that lead somewhere as a tree,
 * each end with its outcome. Where ways part stands how likely each is, or what it takes for granted.
 */
export function printExplanation({ packet, ways, why }: Explanation): string {
  const lines = [
    ...packetLines(packet),
    ...(why === undefined ? ownerLines(ways) : whyLines(why)),
    ...treeLines(stepTree(ways), undefined),
  ]
  return `${lines.join('\n')}\n`
}

function packetLines({ origin, source, destination, destinationPort, protocol }: Packet): readonly string[] {
  const to = destinationText({ address: destination, port: destinationPort, protocol })
  return [`${source} -> ${to}, ${ORIGINS[origin]}`]
}

/** Without a plan the rules tell whose they are. */
function ownerLines(ways: readonly Way[]): readonly string[] {
  const owners = new Set(ways.flatMap(({ steps }) => steps.map(({ owner }) => owner)).filter((owner) => owner !== ''))
  return owners.size === 0 ? [] : [[...owners].join(', ')]
}

function whyLines({ subject, reason, otherwise }: Why): readonly string[] {
  const lines = [subject === '' ? reason : `${subject}: ${reason}`]
  return otherwise === undefined ? lines : [...lines, `the objects ask for something else: ${otherwise}`]
}

function treeLines(tree: StepTree, parent: StepTree | undefined): readonly string[] {
  const { steps, branches, tail, ways } = tree
  const lines = [
    ...stepLines(steps),
    ...branches.flatMap((branch, index) => branchLines(branch, tree, index === branches.length - 1)),
    ...stepLines(tail).map((line) => `then ${line}`),
    ...(branches.length === 0 ? ways.map(endLine) : []),
  ]
  return parent === undefined ? lines : withLabel(lines, tree, parent)
}

function branchLines(branch: StepTree, parent: StepTree, isLast: boolean): readonly string[] {
  const [first = '', ...rest] = treeLines(branch, parent)
  const [start, below] = isLast ? ['└─', '  '] : ['├─', '│ ']
  return [`${start} ${first}`, ...rest.map((line) => `${below} ${line}`)]
}

/** Above the lines what these ways take for granted, or in front of them how likely they are. */
function withLabel(lines: readonly string[], { ways }: StepTree, parent: StepTree): readonly string[] {
  const assumed = sharedAssumptions(ways).filter((each) => !isShared(each, parent.ways))
  if (assumed.length > 0) return [assumed.map(assumptionText).join(', '), ...lines]
  if (!hasSameAssumptions(ways)) return lines
  const weight = fractionText(ways.map((way) => way.weight).reduce(add))
  return [`${weight} ${lines[0] ?? ''}`, ...lines.slice(1)]
}

function assumptionText({ what, holds }: Assumption): string {
  return holds ? `if ${what}` : `unless ${what}`
}

function sharedAssumptions([first, ...others]: readonly Way[]): readonly Assumption[] {
  return first?.assumptions.filter((each) => isShared(each, others)) ?? []
}

function isShared({ what, holds }: Assumption, ways: readonly Way[]): boolean {
  return ways.every(({ assumptions }) => assumptions.some((each) => each.what === what && each.holds === holds))
}

function hasSameAssumptions(ways: readonly Way[]): boolean {
  return ways.every(({ assumptions }) => assumptions.length === sharedAssumptions(ways).length)
}

function endLine({ outcome }: Way): string {
  return `=> ${outcomeText(outcome)}`
}
