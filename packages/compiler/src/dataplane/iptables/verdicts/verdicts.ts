import type { IpFamily } from '@kube-rules/types'
import type { ChangedByStep } from '../../netfilter/branch.js'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { Verdict, VerdictKind } from '../ast.js'
import type { Style } from '../print/style.js'
import { dnat } from './dnat.js'
import { accept, drop, returnVerdict } from './final.js'
import { goto, jump } from './jump.js'
import type { Effect, VerdictLanguage, VerdictOf } from './language.js'
import { mark } from './mark.js'
import { masquerade } from './masquerade.js'
import { redirect } from './redirect.js'
import { reject } from './reject.js'
import { unknown } from './unknown.js'

/** All kinds of targets. */
export const VERDICTS: { readonly [K in VerdictKind]: VerdictLanguage<VerdictOf<K>> } = {
  accept,
  drop,
  return: returnVerdict,
  reject,
  jump,
  goto,
  mark,
  masquerade,
  dnat,
  redirect,
  unknown,
}

/** Returns the operations of a target. The cast is safe by the type of `VERDICTS`, but the compiler cannot infer it. */
function languageOf(verdict: Verdict): VerdictLanguage<Verdict> {
  return VERDICTS[verdict.kind] as unknown as VerdictLanguage<Verdict>
}

export function printVerdict(verdict: Verdict, style: Style): string {
  return languageOf(verdict).print(verdict, style)
}

export function canonicalVerdict(verdict: Verdict, family: IpFamily): Verdict {
  return languageOf(verdict).canonical(verdict, family)
}

export function evaluateVerdict(verdict: Verdict, packet: KernelPacket): Effect {
  return languageOf(verdict).evaluate(verdict, packet)
}

/** Returns the address that a target changes; empty for none. */
export function changedBy(verdict: Verdict): ChangedByStep {
  return languageOf(verdict).changes ?? ''
}

const BY_TARGET: ReadonlyMap<string, VerdictLanguage<Verdict>> = new Map(
  Object.values(VERDICTS).flatMap((language) =>
    (language.begins ?? []).map(
      (begin) => [begin.replace('-j ', ''), language as unknown as VerdictLanguage<Verdict>] as const,
    ),
  ),
)

/** Returns the operations for `-j TARGET`. */
export function verdictOfTarget(target: string): VerdictLanguage<Verdict> | undefined {
  return BY_TARGET.get(target)
}
