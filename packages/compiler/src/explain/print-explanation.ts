import { escapeControls, type Packet } from '@kube-rules/types'
import type { Assumption } from '../dataplane/netfilter/branch.js'
import { destinationText } from '../dataplane/netfilter/destination-text.js'
import type { Way } from '../trace/trace.js'
import { type DifferenceKind, outcomeText } from './difference.js'
import type { Explanation, Why } from './explain.js'
import { stepLines } from './step-lines.js'
import { type WayEnd, type WayTree, wayTree } from './way-tree.js'

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
    ...treeLines(wayTree(ways)),
  ]
  return `${lines.map(escapeControls).join('\n')}\n`
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

const DIFFERENCES: Readonly<Record<DifferenceKind, string>> = {
  rules: 'the objects ask for something else',
  mode: 'the objects ask for something else, which kube-proxy does not do in this mode',
  unknown: 'it depends on what cannot be told whether this is what the objects ask for',
}

function whyLines({ subject, reason, otherwise, difference = 'rules' }: Why): readonly string[] {
  const lines = [subject === '' ? reason : `${subject}: ${reason}`]
  return otherwise === undefined ? lines : [...lines, `${DIFFERENCES[difference]}: ${otherwise}`]
}

function treeLines(tree: WayTree): readonly string[] {
  const { steps, branches, tail, end } = tree
  const lines = [
    ...stepLines(steps),
    ...branches.flatMap((branch, index) => branchLines(branch, index === branches.length - 1)),
    ...stepLines(tail).map((line) => `then ${line}`),
    ...(end === undefined ? [] : endLines(end)),
  ]
  return withLabel(lines, tree)
}

function branchLines(branch: WayTree, isLast: boolean): readonly string[] {
  const [first = '', ...rest] = treeLines(branch)
  const [start, below] = isLast ? ['└─', '  '] : ['├─', '│ ']
  return [`${start} ${first}`, ...rest.map((line) => `${below} ${line}`)]
}

/** In front of the lines how likely these ways are; above them what they take for granted, and where they fork at once. */
function withLabel(lines: readonly string[], { given, share, steps, branches }: WayTree): readonly string[] {
  const words = [...(share === undefined ? [] : [share]), given.map(assumptionText).join(', ')].filter(
    (word) => word !== '',
  )
  if (words.length === 0) return lines
  const [first = '', ...rest] = lines
  const isApart = given.length > 0 || (steps.length === 0 && branches.length > 0)
  return isApart ? [words.join(' '), ...lines] : [`${words.join(' ')} ${first}`, ...rest]
}

function assumptionText({ what, holds }: Assumption): string {
  return holds ? `if ${what}` : `unless ${what}`
}

/** Where several ways end alike they are parted before, which is of no interest to them. */
function endLines({ way: { outcome }, steps = [] }: WayEnd): readonly string[] {
  const [first, ...rest] = stepLines(steps)
  return [...(first === undefined ? [] : [`… ${first}`, ...rest]), `=> ${outcomeText(outcome)}`]
}
