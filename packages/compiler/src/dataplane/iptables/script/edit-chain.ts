import type { IpFamily } from '@kube-rules/types'
import { type Resource, sameValue } from '../../../diff/resource.js'
import type { Splice } from '../../../diff/splice.js'
import { invariant } from '../../../internal/invariant.js'
import type { Rule } from '../ast.js'
import { printRule } from '../print/print.js'
import { plainWord } from '../quote.js'

/** The lines that edit a chain rule by rule. From the end to the start, so that every number is that of the list before. */
export function spliceLines(chain: string, splices: readonly Splice[], family: IpFamily): readonly string[] {
  return [...splices].reverse().flatMap((splice) => linesOf(plainWord(chain), splice, family))
}

/** What a rule says: its `-A` line without `-A CHAIN`. */
function bodyOf(rule: Rule, family: IpFamily): string {
  return printRule(rule, 'restore', family).slice('-A '.length + rule.chain.length)
}

function linesOf(chain: string, { at, removed, inserted }: Splice, family: IpFamily): readonly string[] {
  invariant(Number.isSafeInteger(at) && at >= 0, `${JSON.stringify(at)} is no place in a chain`)
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
 * The lines that make our jumps in a built-in chain those of `after`. Rules of others may stand anywhere among them, so
 * no number means anything: ours go by what they say, which fails where they are not there, and come at the top.
 */
export function jumpLines(
  chain: string,
  before: readonly Rule[],
  after: readonly Rule[],
  family: IpFamily,
): readonly string[] {
  const among = (rules: readonly Rule[]) => (rule: Rule) => rules.some((other) => sameValue(rule, other))
  const stays = sameValue(before.filter(among(after)), after)
  const removed = stays ? before.filter((rule) => !among(after)(rule)) : before
  const inserted = stays ? [] : [...after].reverse()
  return [
    ...removed.map((rule) => `-D ${plainWord(chain)}${bodyOf(rule, family)}`),
    ...inserted.map((rule) => `-I ${plainWord(chain)} 1${bodyOf(rule, family)}`),
  ]
}

/** The rules of a chain's resource. */
export function rulesOf({ value }: Resource): readonly Rule[] {
  return value as readonly Rule[]
}
