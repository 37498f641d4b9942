import type { StepChange } from './trial/step-change.js'

export type { StepChange } from './trial/step-change.js'

/**
 * A problem or a likely problem: its summary, its cause, the steps that fix it, and the rule that shows it. Only the
 * rule requires knowledge beyond kubectl. Every diagnosis names an object and a rule of the input. Plain data.
 */
export interface Diagnosis {
  /** A stable code; `docs/reference/diagnoses.md` explains each. */
  readonly code: DiagnosisCode
  /** The problem, and the node if it is known. One line. */
  readonly summary: string
  /** The cause in words. One line. */
  readonly cause: string
  /**
   * The steps that fix the problem, in order. If a later step is necessary only under a condition, the step names this
   * condition.
   */
  readonly steps: readonly DiagnosisStep[]
  /** The deciding object, or one of the affected objects: `Service default/web`, `KubeProxyConfiguration`. */
  readonly object: string
  /** The deciding rule as its tool prints it, or the id of the chain, set, entry or server: `nat/KUBE-SERVICES`. */
  readonly rule: string
  /** The status or location of the rule, in a few words: `in table filter`, `missing`. */
  readonly ruleStatus: string
  /**
   * The location of the rule in the dump: `node.dump:17`. Absent if the dump does not contain the rule, or was not
   * searched.
   */
  readonly location?: string | undefined
}

/** One step of a fix. */
export interface DiagnosisStep {
  /**
   * An instruction in the imperative, on one line. If the step has a command, the text ends with the tool or machine
   * that the command is for.
   */
  readonly text: string
  /** A command to copy. Absent if the step has none. */
  readonly command?: string | undefined
  /**
   * The change that the step makes, as data. Absent if the step cannot be tried, such as a question to the owner of a
   * rule.
   */
  readonly change?: StepChange | undefined
  /**
   * The outcome of the packet after the step, from a trace of the changed rules or objects. Absent if the step cannot
   * be tried. A step without the expected outcome is not part of a diagnosis.
   */
  readonly outcome?: string | undefined
  /** The effect on clients, on kube-proxy or on other nodes. Absent if the step has no noteworthy effect. */
  readonly impact?: string | undefined
}

/** The code of a diagnosis; `docs/reference/diagnoses.md` explains each one. */
export type DiagnosisCode = (typeof DIAGNOSIS_CODES)[number]

/** The codes of all diagnoses. `diagnose-packet.ts` and `diagnose-node.ts` define the order of evaluation. */
export const DIAGNOSIS_CODES = [
  // Codes for packets.
  'establishedFlow',
  'invalidRules',
  'foreignRule',
  'foreignOrder',
  'sourceTakenFirst',
  'translatedFirst',
  'servedByNeighbor',
  'untracked',
  'translatedToService',
  'claimedNodeAddress',
  'hiddenEndpoint',
  'zeroSourceRange',
  'earlyFilter',
  'changedByVersion',
  'emptyVirtualServer',
  'rejectedNoEndpoints',
  'droppedNoLocalEndpoints',
  'excludedSource',
  'missingRule',
  'outdatedRule',
  'sharedChain',
  'limitedByMode',
  'unservedNodePort',
  'claimedTwice',
  'ignoredHints',
  'unexpectedEndpoint',
  'hairpinNotMasqueraded',
  'incompleteDump',
  // Codes for nodes.
  'bothBackends',
  'undeclaredChain',
  'emptiedTable',
  'noRules',
  'missingJumps',
  'leftovers',
  'staleRules',
  'staleEndpoint',
  'missingEndpoint',
  'weightZero',
  'missingLoopBack',
] as const
