/**
 * What is wrong, or looks wrong, in three lines: what happens, why, and what to do. Every answer names an object and a rule that
 * are in what was given. Plain data.
 */
export interface Answer {
  readonly code: AnswerCode
  /** What happens, one line. */
  readonly happens: string
  /** Why: the object and the rule that decide. One line. */
  readonly why: string
  /** What to do, one line. */
  readonly todo: string
  /** The object that decides, or one of those concerned: `Service default/web`, `KubeProxyConfiguration`. */
  readonly object: string
  /** The rule that decides, as its tool prints it, or the id of the chain, set, entry or server: `nat/KUBE-SERVICES`. */
  readonly rule: string
  /** Where the rule stands in what was given: `node.dump:17`. Absent where it stands nowhere, or nobody has looked. */
  readonly source?: string | undefined
}

/** Every code that an answer may have; `docs/answers.md` explains them one by one. */
export type AnswerCode = (typeof ANSWER_CODES)[number]

export const ANSWER_CODES = [
  // Of a packet.
  'establishedFlow',
  'refusedRules',
  'foreignRule',
  'foreignOrder',
  'sourceTakenFirst',
  'hiddenEndpoint',
  'zeroSourceRange',
  'earlyFilter',
  'changedByVersion',
  'emptyVirtualServer',
  'refusedNoEndpoints',
  'droppedNoLocalEndpoints',
  'limitedByMode',
  'claimedTwice',
  'ignoredHints',
  'hairpinNotMasqueraded',
  // Of a node.
  'bothBackEnds',
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
