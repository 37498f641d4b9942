import type { Step } from '@kube-rules/analyzer/explain'
import type { View } from '@kube-rules/analyzer/view'
import type { Lines } from '@kube-rules/application/cluster'
import type { Packet } from '@kube-rules/compiler'
import type { DiffLine } from './line-diff.js'
import type { LinesOfRules } from './lines-of-rules.js'

/** What the engine answers, one field for each part of the page. Plain data: it comes from a worker. */
export interface Answers {
  readonly rules: RulesAnswer
  readonly packet: PacketAnswer
  readonly change: ChangeAnswer
  readonly comparison: ComparisonAnswer
  readonly dump: DumpAnswer
}

export type Part = keyof Answers

/** Something wrong about the objects, and where. */
export interface Problem {
  readonly severity: 'error' | 'warning' | 'info'
  /** As the command prints it. */
  readonly text: string
  /** Lines of the objects, from 0; absent where it is of none. */
  readonly lines?: Lines | undefined
}

/** A service port, and where it comes from. */
export interface ServicePortPlace {
  /** `default/web:http/TCP`. */
  readonly name: string
  /** Lines of the text of the objects, from 0, that are its alone: its port in a Service that has several, else all of it. */
  readonly lines: readonly Lines[]
  /** Those of the objects that it comes from. */
  readonly objects: readonly Lines[]
}

/** A text, and whose each of its lines is. */
export interface OwnedText {
  readonly text: string
  /** For each line the number of its service port, from 1; 0 for what is nobody's or everybody's. */
  readonly owners: Uint16Array
}

export interface RulesAnswer extends OwnedText {
  /** Why there are no rules; empty where there are. */
  readonly failure: string
  readonly mode: string
  readonly version: string
  /** What can be chosen. */
  readonly languages: readonly string[]
  readonly styles: readonly string[]
  readonly nodes: readonly string[]
  readonly servicePorts: readonly ServicePortPlace[]
  readonly problems: readonly Problem[]
  /** What the command would say on standard error. */
  readonly notes: readonly string[]
  /** Packets that may be asked about, as texts of the packet box. */
  readonly packets: readonly string[]
  readonly services: number
}

/** One way of a packet, in words. */
export interface WayInWords {
  /** `1/3`. */
  readonly weight: string
  readonly probability: number
  readonly outcome: string
  readonly kind: 'delivered' | 'proxy' | 'passes' | 'rejected' | 'dropped' | 'unknown'
  /** Where it ends, for `delivered`: `10.244.1.5:8080`. */
  readonly endpoint: string
  readonly masqueraded: boolean
  /** What it takes for granted, in words. */
  readonly given: readonly string[]
  readonly steps: readonly Step[]
}

export interface PacketAnswer {
  /** What is wrong with what was asked; empty where nothing is. */
  readonly problem: string
  /** The answer in one sentence. */
  readonly sentence: string
  readonly servicePort: string
  readonly packet?: Packet | undefined
  /** The likeliest first; of very many not all. */
  readonly ways: readonly WayInWords[]
  readonly moreWays: number
  /** What is wrong, then the explanation, as the command prints them. */
  readonly answers: View
  readonly view: View
  /** What the command prints. */
  readonly text: string
  /** Where its rules are in the text that it went through: the compiled one, or that of the dump. */
  readonly lines: LinesOfRules
  readonly isLive: boolean
}

export interface ChangeAnswer {
  readonly problem: string
  /** What was edited. */
  readonly edits: readonly DiffLine[]
  /** What the command's `diff --traffic` prints, and its view. */
  readonly traffic: View
  readonly trafficText: string
  /** What `diff` prints: the runs that take a node from one to the other. */
  readonly runs: string
}

export interface ComparisonAnswer {
  readonly problem: string
  readonly names: readonly [string, string]
  readonly view: View
  readonly text: string
}

export interface DumpAnswer extends OwnedText {
  readonly problem: string
  readonly answers: View
  readonly report: View
  /** Where rules of the report are among those that were compiled. */
  readonly lines: LinesOfRules
  /** What `verify` prints. */
  readonly reportText: string
  readonly notes: readonly string[]
  /** The service ports that `owners` counts: those of the objects first, then those that the dump alone names. */
  readonly names: readonly string[]
  /** How many lines belong to which service port. */
  readonly counts: readonly { readonly name: string; readonly lines: number }[]
}
