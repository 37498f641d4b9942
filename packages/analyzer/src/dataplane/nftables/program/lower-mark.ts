import { parseNumber } from '@kube-rules/compiler/internal/dataplane/nftables/words'
import { createFraction } from '@kube-rules/compiler/internal/internal/fraction'
import type { Effect } from '../../../program/program.js'
import type { MarkOwner, MarkValue } from './clause.js'

const ALL_BITS = 0xffffffff
/** The maximum number of values that are followed individually. */
const MAX_VALUES = 64

/** Returns the effects of a mark that gets a value. */
export function markEffects(of: MarkOwner, value: MarkValue & { readonly kind: 'bits' }): readonly Effect[] {
  const { from, keep, flip } = value
  if (from === undefined) return [{ kind: 'setMark', of, clear: ALL_BITS, flip }]
  if (from === of) return [{ kind: 'setMark', of, clear: (ALL_BITS & ~keep) >>> 0, flip }]
  const copied: Effect = { kind: 'copyMark', to: of, clear: ALL_BITS, sourceMask: keep }
  return flip === 0 ? [copied] : [copied, { kind: 'setMark', of, clear: 0, flip }]
}

/** Returns the effect of an unknown mark. */
export function forgetMark(of: MarkOwner): Effect {
  return { kind: 'forgetMark', of, bits: ALL_BITS }
}

/** Returns the effects of a mark that gets the data of an element, such as `0x1`. */
export function markOfData(of: MarkOwner, data = ''): Effect {
  const number = parseNumber(data)
  return number === undefined ? forgetMark(of) : { kind: 'setMark', of, clear: ALL_BITS, flip: number }
}

/** Returns the effect of a mark that gets a random number; `rest` are the effects of the rest of the rule. */
export function chooseMark(
  of: MarkOwner,
  { part }: MarkValue & { readonly kind: 'generated' },
  rest: readonly Effect[],
): readonly Effect[] {
  const { isRandom, mod, offset } = part
  if ((!isRandom && mod > 1) || mod > MAX_VALUES) return [forgetMark(of), ...rest]
  const share = createFraction(1, mod)
  const choices = Array.from({ length: mod }, (_, number) => {
    const set: Effect = { kind: 'setMark', of, clear: ALL_BITS, flip: offset + number }
    return { share, effects: [set, ...rest] }
  })
  return [{ kind: 'choose', choices }]
}
