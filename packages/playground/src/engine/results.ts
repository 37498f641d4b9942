import type { RuleChange } from '@kube-rules/analyzer/compare'
import type { PathStep } from '@kube-rules/analyzer/explain'
import type { View } from '@kube-rules/analyzer/view'
import type { LineRange } from '@kube-rules/application/cluster'
import type { Packet } from '@kube-rules/types'
import type { ChangeGroup } from './change-groups.js'
import type { ComparisonGroup } from './comparison-groups.js'
import type { DiffLine } from './diff-lines.js'
import type { RuleLineNumbers } from './rule-line-numbers.js'

/** The results of the engine, one field for each part of the page. Plain data, because a worker sends it. */
export interface EngineResults {
  readonly rules: RulesResult
  readonly packet: PacketResult
  readonly change: ChangeResult
  readonly comparison: ComparisonResult
  readonly dump: DumpResult
}

export type ResultKind = keyof EngineResults

/** A problem in the objects, with its location. */
export interface ObjectProblem {
  readonly severity: 'error' | 'warning' | 'info'
  /** The text, as the command prints it. */
  readonly text: string
  /** Lines of the objects, from 0; absent if the problem belongs to no line. */
  readonly lines?: LineRange | undefined
}

/** A service port and its location in the objects. */
export interface ServicePortLocation {
  /** The label `default/web:http/TCP`. */
  readonly name: string
  /**
   * Lines, from 0, that define only this service port: its entry in `ports`, or the whole Service if it has only one
   * port.
   */
  readonly lines: readonly LineRange[]
  /** Lines of the objects that define the service port. */
  readonly objects: readonly LineRange[]
}

/** Rules as text, with the owner of each line. */
export interface TextWithOwners {
  readonly text: string
  /** The service port number of each line, from 1; 0 if the line has no owner or belongs to all service ports. */
  readonly owners: Uint16Array
}

export interface RulesResult extends TextWithOwners {
  /** The reason for missing rules; empty on success. */
  readonly failure: string
  readonly mode: string
  readonly version: string
  /** The available choices. */
  readonly subsystems: readonly string[]
  readonly formats: readonly string[]
  readonly nodes: readonly string[]
  /** The name of the node that the rules are for; empty if none is known. */
  readonly node: string
  /** The reason for this node, as a clause; empty if there is nothing to choose, or the user chose it. */
  readonly nodeReason: string
  /** Another Node, which has the address that the packet goes to; empty if there is none. */
  readonly otherNode: string
  readonly servicePorts: readonly ServicePortLocation[]
  readonly problems: readonly ObjectProblem[]
  /** The messages that the command prints on standard error. */
  readonly notes: readonly string[]
  /** Suggested packets, as texts for the packet box. */
  readonly packets: readonly string[]
  readonly services: number
}

/** One path of a packet, as text. */
export interface FormattedPath {
  /** The probability as a fraction: `1/3`. */
  readonly weight: string
  readonly probability: number
  readonly outcome: string
  readonly kind: 'delivered' | 'proxy' | 'unmatched' | 'rejected' | 'dropped' | 'unknown'
  /** The endpoint, for `delivered`: `10.244.1.5:8080`. */
  readonly endpoint: string
  readonly masqueraded: boolean
  /** The assumptions of the path, as text. */
  readonly conditions: readonly string[]
  readonly steps: readonly PathStep[]
}

/** The outcomes of a packet as clauses: `is rejected`. */
export interface PacketSides {
  readonly objects: string
  readonly dump: string
}

/** A fact that the rules do not contain. */
export interface PacketFact {
  /** The fact as a clause: `172.18.0.2 is an address of the node`. */
  readonly text: string
  /** The whole condition of the trace, which identifies the fact. */
  readonly condition: string
  /** Whether the fact is true; undefined if unknown. */
  readonly answer?: boolean | undefined
}

export interface PacketResult {
  /** The problem with the request; empty if it is valid. */
  readonly problem: string
  /** The result in one sentence. */
  readonly sentence: string
  /** The outcomes through the objects and through the dump, if they differ. */
  readonly sides?: PacketSides | undefined
  /** The facts that the outcome depends on, and that the rules do not contain. */
  readonly facts: readonly PacketFact[]
  readonly servicePort: string
  readonly packet?: Packet | undefined
  /** The paths, most likely first; truncated if there are very many. */
  readonly paths: readonly FormattedPath[]
  readonly morePaths: number
  /** The diagnoses, then the explanation, as the command prints them. */
  readonly diagnoses: View
  readonly view: View
  /** The output of the command. */
  readonly text: string
  /** The lines with the rules that the packet matches, in the compiled text or in the dump. */
  readonly lines: RuleLineNumbers
  readonly isLive: boolean
}

export interface ChangeResult {
  readonly problem: string
  /** The edited lines. */
  readonly edits: readonly DiffLine[]
  /** The changes, grouped by the object that causes them. */
  readonly groups: readonly ChangeGroup[]
  /** The output of `diff --traffic` as a view, including the lines that apply to all packets. */
  readonly traffic: View
  readonly trafficText: string
  /** The output of `diff`: the commands that update a node from one state to the other. */
  readonly runs: string
}

export interface ComparisonResult {
  readonly problem: string
  readonly names: readonly [string, string]
  /** The differences in one sentence, and the packets that are handled differently, by the kind of difference. */
  readonly sentence: string
  readonly groups: readonly ComparisonGroup[]
  /** The Services in the groups. */
  readonly services: readonly string[]
  /** The lines of the `compare` output that describe no difference. The field `text` has the whole output. */
  readonly view: View
  readonly text: string
  /** The features that change the text from the older to the newer version. */
  readonly changes: readonly RuleChange[]
  /**
   * The lines that differ between two versions. Absent when comparing with another mode, because the rules of two modes
   * have no lines in common.
   */
  readonly rules?: readonly DiffLine[] | undefined
}

export interface DumpResult extends TextWithOwners {
  readonly problem: string
  readonly diagnoses: View
  readonly report: View
  /** The lines of the report's rules in the compiled text. */
  readonly lines: RuleLineNumbers
  /** The output of `verify`. */
  readonly reportText: string
  readonly notes: readonly string[]
  /**
   * The service ports and programs that `owners` refers to. The service ports of the objects are first, followed by those
   * that only the dump contains, and by other programs.
   */
  readonly names: readonly string[]
  /** Packets to trace through a dump without objects, as texts for the packet box. */
  readonly packets: readonly string[]
  /** The number of lines of each service port. */
  readonly counts: readonly { readonly name: string; readonly lines: number }[]
  /** The number of lines of each other program. */
  readonly programs: DumpResult['counts']
}
