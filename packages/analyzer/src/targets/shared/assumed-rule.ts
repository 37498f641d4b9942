import type { CommentMatch } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { createCommentMatch } from '@kube-rules/compiler/internal/targets/shared/match'

/** The comment of a rule that no line of the dump shows. */
export const ASSUMED_RULE_COMMENT = 'missing in the dump; assumed to be as kube-proxy creates it'

/** The comment of an added rule, as a match. */
export const ASSUMED_COMMENT: CommentMatch = createCommentMatch(ASSUMED_RULE_COMMENT)

/**
 * Reports whether the text of a rule comes from an assumption instead of a line of the dump. Such a rule is never
 * evidence: no diagnosis cites it.
 */
export function isAssumedRule(text: string): boolean {
  return text.includes(`"${ASSUMED_RULE_COMMENT}"`)
}
