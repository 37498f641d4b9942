import type { RuleBlock, Target, TargetKind, TargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { FULL_MASK } from '@kube-rules/compiler/internal/dataplane/iptables/mark'
import { unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import type { IpFamily } from '@kube-rules/types'
import type { ChainReference, Effect } from '../../../program/program.js'
import type { ChainLookup } from './chains-of-table.js'
import { readOptions } from './module-options.js'
import { lowerDestination } from './targets/nat-targets.js'
import { type Action, actionOf, type TargetModuleContext } from './targets/target-module.js'
import { findTargetModule } from './targets/target-modules.js'

/** The table of a target. */
export interface TargetContext extends TargetModuleContext {
  readonly chains: ChainLookup
}

/** Returns the actions of a target. `block` is the block of its rule, which may jump to the chains of this block. */
type LowerTarget<T extends Target> = (
  target: T,
  context: TargetContext,
  block: RuleBlock | undefined,
) => readonly Action[]

const REJECTIONS: Readonly<Record<IpFamily, string>> = {
  IPv4: 'icmp-port-unreachable',
  IPv6: 'icmp6-port-unreachable',
}

const ACCEPT = actionOf({ kind: 'accept' })
const DROP = actionOf({ kind: 'drop' })
const RETURN = actionOf({ kind: 'return' })
const MASQUERADE = actionOf({ kind: 'masquerade' })

const TARGETS: { readonly [K in TargetKind]: LowerTarget<TargetOf<K>> } = {
  accept: () => ACCEPT,
  drop: () => DROP,
  return: () => RETURN,
  reject: (target, { family }) => actionOf({ kind: 'reject', with: target.with ?? REJECTIONS[family] }),
  jump: ({ chain }, { chains }, block) => actionOf({ kind: 'jump', chain: referenceTo(chain, chains, block) }),
  goto: ({ chain }, { chains }, block) => actionOf({ kind: 'goto', chain: referenceTo(chain, chains, block) }),
  mark: (target) => actionOf(lowerMark(target)),
  masquerade: () => MASQUERADE,
  dnat: ({ destination }, { family }) =>
    lowerDestination(destination, false, family) ??
    unknownAction(`DNAT to ${destination} lets the kernel choose the address or port`),
  redirect: ({ port }) => actionOf({ kind: 'redirect', port }),
  unknown: ({ words }, context) =>
    lowerWords(words, context) ?? unknownAction(`the effect of ${words.join(' ')} is unknown`),
}

/** Returns the actions of a target on the first packet of a connection. `block` is the block of its rule, if any. */
export function lowerTarget(target: Target, context: TargetContext, block?: RuleBlock | undefined): readonly Action[] {
  // The type of the table assigns each kind of target its function, but the compiler cannot infer this.
  return (TARGETS[target.kind] as unknown as LowerTarget<Target>)(target, context, block)
}

function unknownAction(reason: string): readonly Action[] {
  return actionOf({ kind: 'unknown', reason })
}

function referenceTo(name: string, chains: ChainLookup, block: RuleBlock | undefined): ChainReference {
  return { name, resolve: () => chains(name, block) }
}

function lowerMark({ operation, value, mask = FULL_MASK }: TargetOf<'mark'>): Effect {
  const clear = operation === 'set-xmark' ? mask : operation === 'or' ? value : 0
  return { kind: 'setMark', of: 'packet', clear, flip: value }
}

/** Lowers the words of a target that the parser does not represent. Undefined if its effect is not known. */
function lowerWords(
  [option, name = '', ...words]: readonly string[],
  context: TargetModuleContext,
): readonly Action[] | undefined {
  const target = option === '-j' || option === '--jump' ? findTargetModule(unquote(name)) : undefined
  if (target?.syntax === undefined) return target?.lower([], context)
  const options = readOptions(words, target.syntax)
  return options && target.lower(options, context)
}
