import type { IpFamily } from '@kube-rules/types'
import type { Target, TargetKind } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import { checkPlainWord } from '../quote.js'
import { dnatPrinter } from './dnat.js'
import { markPrinter } from './mark.js'
import { masqueradePrinter } from './masquerade.js'
import { identity, type TargetOf, type TargetPrinter } from './operations.js'
import { redirectPrinter } from './redirect.js'
import { rejectPrinter } from './reject.js'
import { unknownPrinter } from './unknown.js'

/** All kinds of targets. */
export const TARGET_PRINTERS: { readonly [K in TargetKind]: TargetPrinter<TargetOf<K>> } = {
  accept: { print: () => '-j ACCEPT', canonical: identity },
  drop: { print: () => '-j DROP', canonical: identity },
  return: { print: () => '-j RETURN', canonical: identity },
  reject: rejectPrinter,
  jump: { print: ({ chain }) => `-j ${checkPlainWord(chain)}`, canonical: identity },
  goto: { print: ({ chain }) => `-g ${checkPlainWord(chain)}`, canonical: identity },
  mark: markPrinter,
  masquerade: masqueradePrinter,
  dnat: dnatPrinter,
  redirect: redirectPrinter,
  unknown: unknownPrinter,
}

/** Returns the printer of a target. The cast is safe by the type of the table, but the compiler cannot infer it. */
function printerOf(target: Target): TargetPrinter<Target> {
  return TARGET_PRINTERS[target.kind] as unknown as TargetPrinter<Target>
}

export function printTarget(target: Target, style: RuleFormat): string {
  return printerOf(target).print(target, style)
}

/** Formats the options of a target in normal form as a listing does. */
export function formatListedTarget(target: Target): string {
  return printerOf(target).list?.(target) ?? ''
}

export function canonicalizeTarget(target: Target, family: IpFamily): Target {
  return printerOf(target).canonical(target, family)
}
