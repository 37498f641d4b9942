/**
 * What is wrong, or looks wrong, in four lines: what happens, why, what to do, and the rule that proves it. The first three are
 * for whoever knows kubectl alone. Every answer names an object and a rule that are in what was given. Plain data.
 */
export interface Answer {
  readonly code: AnswerCode
  /** What happens, and on which node where that is known. One line. */
  readonly happens: string
  /** Why: what decides, in words. One line. */
  readonly why: string
  /**
   * What to do, one line: a command as it is typed, where it is typed and what it costs in brackets behind it, and what else there
   * is with when to do it. Words alone where no command does it.
   */
  readonly todo: string
  /** The object that decides, or one of those concerned: `Service default/web`, `KubeProxyConfiguration`. */
  readonly object: string
  /** The rule that decides, as its tool prints it, or the id of the chain, set, entry or server: `nat/KUBE-SERVICES`. */
  readonly rule: string
  /** What the rule is, in a few words: `in table filter`, `missing`. */
  readonly ruleIs: string
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
