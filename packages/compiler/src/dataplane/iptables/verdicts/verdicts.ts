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

/** Every kind of verdict. */
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

/** The language of a verdict; the cast says what the type of `VERDICTS` says, which the compiler cannot follow. */
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

/** What a verdict changes of packets; empty for nothing. */
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

/** The language of verdicts that begin with `-j TARGET`. */
export function verdictOfTarget(target: string): VerdictLanguage<Verdict> | undefined {
  return BY_TARGET.get(target)
}
