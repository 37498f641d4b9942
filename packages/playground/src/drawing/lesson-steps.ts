import type { PathStep } from '@kube-rules/analyzer/explain'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { FormattedPath } from '../engine/results.js'
import { describeEnd, describeStart, describeStep, type WordMeaning } from './lesson-sentences.js'
import { formatMark, markAfter } from './packet-mark.js'
import { findFork, MASQUERADED_SOURCE } from './path-stages.js'

/** A field of a packet that a lesson shows. */
export type PacketField = 'source' | 'destination' | 'mark'

/** A branch of a random choice. */
export interface LessonBranch {
  readonly weight: string
  readonly outcome: string
  /** Whether the lesson follows this branch. */
  readonly isFollowed: boolean
}

/** One step of a lesson, and the packet after it. The first step has no rule: the packet arrives. The last is its end. */
export interface LessonStep {
  /** The hook and table, such as `PREROUTING nat`; empty at both ends. */
  readonly place: string
  readonly sentence: string
  /** The text of the rule; empty at both ends. */
  readonly rule: string
  readonly owner: string
  readonly packet: Readonly<Record<PacketField, string>>
  /** The fields that this step changes. */
  readonly changed: readonly PacketField[]
  /** All branches if this step makes a random choice, else none. */
  readonly branches: readonly LessonBranch[]
}

/** Explains a path step by step. `all` contains all paths of the packet, and `meaningOf` explains chains and targets. */
export function createLessonSteps(
  packet: Packet,
  path: FormattedPath,
  all: readonly FormattedPath[],
  meaningOf: WordMeaning,
): readonly LessonStep[] {
  const fork = findFork(path, all)
  const branches = all.map((each) => ({ weight: each.weight, outcome: each.outcome, isFollowed: each === path }))
  const start: LessonStep = {
    place: '',
    sentence: describeStart(packet, path.steps[0]?.hook),
    rule: '',
    owner: '',
    packet: {
      source: packet.source,
      destination: joinHostPort(packet.destination, packet.destinationPort),
      mark: formatMark(0),
    },
    changed: [],
    branches: [],
  }
  const lesson = [start]
  for (const [index, step] of path.steps.entries()) {
    const before = (lesson.at(-1) ?? start).packet
    const isFork = index === fork
    const next = packetAfter(before, step, path)
    lesson.push({
      place: `${step.hook} ${step.table.replace('iptables ', '')}`,
      sentence: describeStep(step, { next, share: isFork ? path.weight : '', path, meaningOf }),
      rule: step.text,
      owner: step.servicePort,
      packet: next,
      changed: FIELDS.filter((field) => next[field] !== before[field]),
      branches: isFork ? branches : [],
    })
  }
  const { packet: last } = lesson.at(-1) ?? start
  return [...lesson, { ...start, sentence: describeEnd(path, last.destination), packet: last }]
}

const FIELDS: readonly PacketField[] = ['source', 'destination', 'mark']

function packetAfter(before: LessonStep['packet'], step: PathStep, path: FormattedPath): LessonStep['packet'] {
  const mark = formatMark(markAfter(step.text, Number(before.mark)))
  if (step.rewrites === 'source') return { ...before, mark, source: MASQUERADED_SOURCE }
  if (step.rewrites === 'destination') return { ...before, mark, destination: path.endpoint || path.outcome }
  return { ...before, mark }
}
