import type { IpFamily } from '@kube-rules/types'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { TranslatedAddress } from '../../netfilter/path-state.js'
import type { Target, TargetKind } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'
import { dnat } from './dnat.js'
import { accept, drop, returnTarget } from './final.js'
import { goto, jump } from './jump.js'
import { mark } from './mark.js'
import { masquerade } from './masquerade.js'
import type { TargetEffect, TargetOf, TargetOperations } from './operations.js'
import { redirect } from './redirect.js'
import { reject } from './reject.js'
import { unknown } from './unknown.js'

/** All kinds of targets. */
export const TARGETS: { readonly [K in TargetKind]: TargetOperations<TargetOf<K>> } = {
  accept,
  drop,
  return: returnTarget,
  reject,
  jump,
  goto,
  mark,
  masquerade,
  dnat,
  redirect,
  unknown,
}

/** Returns the operations of a target. The cast is safe by the type of `TARGETS`, but the compiler cannot infer it. */
function languageOf(target: Target): TargetOperations<Target> {
  return TARGETS[target.kind] as unknown as TargetOperations<Target>
}

export function printTarget(target: Target, style: RuleFormat): string {
  return languageOf(target).print(target, style)
}

/** Formats the options of a target in normal form as a listing does. */
export function formatListedTarget(target: Target): string {
  return languageOf(target).list?.(target) ?? ''
}

export function canonicalizeTarget(target: Target, family: IpFamily): Target {
  return languageOf(target).canonical(target, family)
}

export function evaluateTarget(target: Target, packet: KernelPacket): TargetEffect {
  return languageOf(target).evaluate(target, packet)
}

/** Returns whether a target changes the source or the destination address; undefined if it changes no address. */
export function translatedAddressOf(target: Target): TranslatedAddress | undefined {
  return languageOf(target).changes
}

const BY_TARGET: ReadonlyMap<string, TargetOperations<Target>> = new Map(
  Object.values(TARGETS).flatMap((language) =>
    (language.begins ?? []).map(
      (begin) => [begin.replace('-j ', ''), language as unknown as TargetOperations<Target>] as const,
    ),
  ),
)

/** Returns the operations for `-j TARGET`. */
export function findTargetByName(target: string): TargetOperations<Target> | undefined {
  return BY_TARGET.get(target)
}
