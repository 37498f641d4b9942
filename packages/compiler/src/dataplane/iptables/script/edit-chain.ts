import type { IpFamily } from '@kube-rules/types'
import { invariant } from '../../../internal/invariant.js'
import { type Resource, sameValue } from '../../../patch/resource.js'
import type { Splice } from '../../../patch/splice.js'
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
 * no number means anything: ours go by what they say, which fails where they are not there, and come at the top; those that
 * are appended, at the end.
 */
export function jumpLines(
  chain: string,
  before: readonly Rule[],
  after: readonly Rule[],
  family: IpFamily,
): readonly string[] {
  const [held, wanted] = [before.map(asHeld), after.map(asHeld)]
  const among = (rules: readonly Rule[]) => (rule: Rule) => rules.some((other) => sameValue(rule, other))
  const stays = sameValue(held.filter(among(wanted)), wanted)
  const removed = stays ? held.filter((rule) => !among(wanted)(rule)) : held
  const put = stays ? [] : after
  return [
    ...removed.map((rule) => `-D ${plainWord(chain)}${bodyOf(rule, family)}`),
    ...inserted(put).map((rule) => `-I ${plainWord(chain)} 1${bodyOf(rule, family)}`),
    ...appended(put).map((rule) => `-A ${plainWord(chain)}${bodyOf(rule, family)}`),
  ]
}

/** Those of the jumps in one chain that are put first, from last to first: each comes before the ones that are there. */
export function inserted(jumps: readonly Rule[]): readonly Rule[] {
  return jumps.filter((rule) => !rule.appended).reverse()
}

export function appended(jumps: readonly Rule[]): readonly Rule[] {
  return jumps.filter((rule) => rule.appended)
}

/** Without what the kernel does not keep. */
export function asHeld({ appended, ...rule }: Rule): Rule {
  return rule
}

/** The rules of a chain's resource. */
export function rulesOf({ value }: Resource): readonly Rule[] {
  return value as readonly Rule[]
}
