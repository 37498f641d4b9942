import type { IpFamily } from '@kube-rules/types'
import { invariant } from '../../../internal/invariant.js'
import { isDeepEqual } from '../../../internal/plain-data.js'
import type { Splice } from '../../../patch/splice.js'
import type { Rule } from '../ast.js'
import { printRule } from '../print/print.js'
import { checkPlainWord } from '../quote.js'

/**
 * Returns the lines that edit a chain rule by rule. The last edit in the chain comes first, so that every rule number
 * still refers to the old chain.
 */
export function formatSpliceLines(chain: string, splices: readonly Splice[], family: IpFamily): readonly string[] {
  return [...splices].reverse().flatMap((splice) => linesOf(checkPlainWord(chain), splice, family))
}

/** Formats the `-A` line of a rule, without `-A CHAIN`. */
function bodyOf(rule: Rule, family: IpFamily): string {
  return printRule(rule, 'restore', family).slice('-A '.length + rule.chain.length)
}

function linesOf(chain: string, { at, removed, inserted }: Splice, family: IpFamily): readonly string[] {
  invariant(Number.isSafeInteger(at) && at >= 0, `${JSON.stringify(at)} is not a position in a chain`)
  const first = at + 1
  const bodies = (inserted as readonly Rule[]).map((rule) => bodyOf(rule, family))
  const replaced = Math.min(removed.length, bodies.length)
  return [
    ...Array.from({ length: removed.length - replaced }, (_, index) => `-D ${chain} ${at + removed.length - index}`),
    ...bodies.slice(0, replaced).map((body, index) => `-R ${chain} ${first + index}${body}`),
    ...bodies.slice(replaced).map((body, index) => `-I ${chain} ${first + replaced + index}${body}`),
  ]
}

/**
 * Returns the lines that replace the kube-proxy jumps in a built-in chain with the jumps of `after`. Foreign rules may
 * be anywhere between the jumps, so the lines contain no rule numbers. A deletion contains the whole rule, and fails if
 * the rule does not exist. Jumps are inserted at the top of the chain, except that `appended` jumps are added at the
 * end.
 */
export function formatJumpLines(
  chain: string,
  before: readonly Rule[],
  after: readonly Rule[],
  family: IpFamily,
): readonly string[] {
  const [held, expected] = [before.map(toStoredRule), after.map(toStoredRule)]
  const among = (rules: readonly Rule[]) => (rule: Rule) => rules.some((other) => isDeepEqual(rule, other))
  const stays = isDeepEqual(held.filter(among(expected)), expected)
  const removed = stays ? held.filter((rule) => !among(expected)(rule)) : held
  const put = stays ? [] : after
  return [
    ...removed.map((rule) => `-D ${checkPlainWord(chain)}${bodyOf(rule, family)}`),
    ...selectInsertedJumps(put).map((rule) => `-I ${checkPlainWord(chain)} 1${bodyOf(rule, family)}`),
    ...selectAppendedJumps(put).map((rule) => `-A ${checkPlainWord(chain)}${bodyOf(rule, family)}`),
  ]
}

/**
 * Returns the jumps to insert into one chain, from last to first, because each jump is inserted at the top of the
 * chain.
 */
export function selectInsertedJumps(jumps: readonly Rule[]): readonly Rule[] {
  return jumps.filter((rule) => !rule.appended).reverse()
}

/** Returns the jumps to append to one chain, in their order. */
export function selectAppendedJumps(jumps: readonly Rule[]): readonly Rule[] {
  return jumps.filter((rule) => rule.appended)
}

/** Removes the `appended` field, because the kernel does not store it. */
function toStoredRule({ appended: _, ...rule }: Rule): Rule {
  return rule
}

/** Returns the rules in `rules` that are not in `others`. */
export function subtractRules(rules: readonly Rule[], others: readonly Rule[]): readonly Rule[] {
  return rules.filter((rule) => !others.some((other) => isDeepEqual(toStoredRule(rule), toStoredRule(other))))
}
