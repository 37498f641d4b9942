import type { Answer } from './answer.js'
import { emptiedTableAnswer } from './emptied-table.js'
import { ipvsAnswers } from './ipvs-servers.js'
import { leftoverAnswer } from './leftovers.js'
import { missingJumpAnswers } from './missing-jumps.js'
import type { NodeAnswerFacts } from './node-facts.js'
import { staleRuleAnswers } from './stale-rules.js'
import { undeclaredChainAnswer } from './undeclared-chain.js'

/**
 * Diagnoses a node, with problems of all Services first. A problem that makes all further ones irrelevant is reported
 * alone.
 */
export function answersAboutNode(facts: NodeAnswerFacts): readonly Answer[] {
  const alone = undeclaredChainAnswer(facts) ?? emptiedTableAnswer(facts)
  if (alone !== undefined) return [alone]
  return [
    ...missingJumpAnswers(facts),
    ...[leftoverAnswer(facts)].flatMap((answer) => answer ?? []),
    ...staleRuleAnswers(facts),
    ...ipvsAnswers(facts),
  ]
}
