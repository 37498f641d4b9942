import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ObjectReference } from '@kube-rules/types'

/**
 * A result for users as plain data: trees of lines with references. `printView` prints a view like the command. Other
 * interfaces render the view in their own way. Every view node is one line of the printed text, in order.
 */
export type View = readonly ViewNode[]

/** One line of a view with its child lines. Plain data that survives a JSON round trip. */
export interface ViewNode {
  /** The position in the view, counted from 0: `0`, and for a child `0.2`. */
  readonly id: string
  /** What the line is. */
  readonly kind: ViewKind
  /** The printed line without tree characters. It contains no control characters. */
  readonly label: string
  /** How serious the line is. */
  readonly severity: ViewSeverity
  /** Whether the line is a branch of a fork. The continuation of the branch is below the line. */
  readonly isBranch: boolean
  /** The probability of the branch that begins here, if it is random: `1/3`. */
  readonly share?: string | undefined
  /**
   * The owner: `default/web:http/TCP`. Absent if there is no owner, if there are several owners, or if the owner is
   * unknown.
   */
  readonly servicePort?: string | undefined
  /** The columns of a table row. `label` contains the same columns on one line. */
  readonly cells?: readonly string[] | undefined
  /** The related Kubernetes objects. */
  readonly objects: readonly ObjectReference[]
  /** The related rules, in the order of evaluation. */
  readonly rules: readonly RuleReference[]
  /** The child lines. */
  readonly children: View
}

/** A reference to a rule or to another resource of a node. `findRuleLines` finds the rule or resource in printed lines. */
export interface RuleReference {
  /** The subsystem; absent if only the text is known. */
  readonly subsystem?: Subsystem | undefined
  /** The id of a resource: a chain (`nat/KUBE-SERVICES`), a set, an entry or a server. Empty if only the text is known. */
  readonly location: string
  /** The rule or server, as the tool of the subsystem prints it. Empty if the reference is to the whole resource. */
  readonly text: string
}

/** The severity of a line. `ok`: as expected. `error`: a deviation. `warning`: undetermined, or possibly unintended. */
export type ViewSeverity = 'none' | 'ok' | 'warning' | 'error'

/** The kind of a view node; `docs/reference/views.md` explains each one. */
export type ViewKind = (typeof VIEW_KINDS)[number]

/** The kinds of all view nodes. */
export const VIEW_KINDS = [
  // Kinds of an explanation.
  'packet',
  'owner',
  'reason',
  'difference',
  'step',
  'fork',
  'outcome',
  // The kinds of lines in a reachability table.
  'heading',
  'frontend',
  // Kinds of a diagnosis.
  'diagnosis',
  'cause',
  'steps',
  'action',
  'command',
  'trial',
  'impact',
  'rule',
  // Kinds of a report.
  'caveat',
  'comparedWith',
  'servicePort',
  'drift',
  'found',
  'expected',
  'verdict',
  // Kinds of report gaps.
  'unverified',
  'leftAlone',
  // Kinds of a comparison.
  'differs',
  'inconclusive',
  'contested',
  'occupied',
  'notCompared',
  'side',
  'summary',
  'versionCause',
  'rejectionReason',
  'expectedDifferences',
] as const
