import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ObjectReference } from '@kube-rules/types'

/**
 * A finding for people as plain data: lines with what each is about, as trees. `printView` makes the text of it that the
 * command prints; other interfaces draw it their way. Every node is one line of that text, in that order.
 */
export type View = readonly ViewNode[]

/** One line of a view, and those that belong to it. JSON holds all of it. */
export interface ViewNode {
  /** Its place within the view, counted from 0: `0`, and of what is below it `0.2`. */
  readonly id: string
  readonly kind: ViewKind
  /** The line as it is printed, without the signs by which trees are drawn. It holds no control characters. */
  readonly label: string
  readonly severity: ViewSeverity
  /** One of the ways at a fork; what follows on that way is below it. */
  readonly isBranch: boolean
  /** How likely the way that begins here is, where chance decides that: `1/3`. */
  readonly share?: string | undefined
  /** Whose it is: `default/web:http/TCP`; absent where it is nobody's, of several or where that is not known. */
  readonly servicePort?: string | undefined
  /** The columns, of a row of a table; `label` has them in a line. */
  readonly cells?: readonly string[] | undefined
  /** The Kubernetes objects it is about. */
  readonly objects: readonly ObjectReference[]
  /** The rules it is about, in the order in which they apply. */
  readonly rules: readonly RuleReference[]
  readonly children: View
}

/** A rule, or a part of what a node holds. What a text says of it is found by `linesOfRule`. */
export interface RuleReference {
  /** Absent where only the text is known. */
  readonly language?: Subsystem | undefined
  /** The id of a resource: a chain (`nat/KUBE-SERVICES`), a set, an entry, a server. Empty where only the text is known. */
  readonly place: string
  /** The rule or server as its tool prints it; empty where all of the place is meant. */
  readonly text: string
}

/** `good`: as it should be. `error`: it is not. `warning`: nobody can tell, or it may not be meant. */
export type ViewSeverity = 'none' | 'good' | 'warning' | 'error'

/** Every kind that a node of a view may have; `docs/views.md` explains them one by one. */
export type ViewKind = (typeof VIEW_KINDS)[number]

export const VIEW_KINDS = [
  // Of an explanation.
  'packet',
  'owner',
  'reason',
  'difference',
  'step',
  'fork',
  'outcome',
  // Of a survey.
  'heading',
  'frontend',
  // Of an answer.
  'answer',
  'why',
  'steps',
  'action',
  'command',
  'impact',
  'rule',
  // Of a report.
  'doubt',
  'comparedWith',
  'servicePort',
  'drift',
  'found',
  'wanted',
  'verdict',
  // Of what a report does not cover.
  'unverified',
  'leftAlone',
  // Of a comparison.
  'differs',
  'undecided',
  'side',
  'summary',
  'declared',
] as const
