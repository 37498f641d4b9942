import type { IpFamily } from '@kube-rules/types'
import type { Target, TargetKind, TargetOf } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import { checkPlainWord } from '../quote.js'
import { dnatTargetPrinter } from './dnat.js'
import { markTargetPrinter } from './mark.js'
import { masqueradeTargetPrinter } from './masquerade.js'
import { type TargetPrinter, unchangedTarget } from './operations.js'
import { redirectTargetPrinter } from './redirect.js'
import { rejectTargetPrinter } from './reject.js'
import { unknownTargetPrinter } from './unknown.js'

/** All kinds of targets. */
export const TARGET_PRINTERS: { readonly [K in TargetKind]: TargetPrinter<TargetOf<K>> } = {
  accept: { print: () => '-j ACCEPT', canonical: unchangedTarget },
  drop: { print: () => '-j DROP', canonical: unchangedTarget },
  return: { print: () => '-j RETURN', canonical: unchangedTarget },
  reject: rejectTargetPrinter,
  jump: { print: ({ chain }) => `-j ${checkPlainWord(chain)}`, canonical: unchangedTarget },
  goto: { print: ({ chain }) => `-g ${checkPlainWord(chain)}`, canonical: unchangedTarget },
  mark: markTargetPrinter,
  masquerade: masqueradeTargetPrinter,
  dnat: dnatTargetPrinter,
  redirect: redirectTargetPrinter,
  unknown: unknownTargetPrinter,
}

/**
 * Returns the printer of a target. The cast is safe, because each entry of the table has the kind of its key.
 * TypeScript cannot infer this.
 */
function printerOf(target: Target): TargetPrinter<Target> {
  return TARGET_PRINTERS[target.kind] as unknown as TargetPrinter<Target>
}

export function printTarget(target: Target, style: RuleFormat): string {
  return printerOf(target).print(target, style)
}

/** Formats the options of a target in normal form like a listing (`iptables -L`). */
export function formatListedTarget(target: Target): string {
  return printerOf(target).list?.(target) ?? ''
}

export function canonicalizeTarget(target: Target, family: IpFamily): Target {
  return printerOf(target).canonical(target, family)
}
