import type { Element } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { createFraction } from '@kube-rules/compiler/internal/internal/fraction'
import type { Choice, Effect } from '../../../program/program.js'
import type { KeyPart } from './clause.js'
import { countNumbers } from './compare-generated.js'
import { parseNumberRange } from './numbers.js'

type GeneratedPart = KeyPart & { readonly kind: 'generated' }

/** How the elements of a map are chosen. */
interface ElementChoice {
  readonly effectsOf: (element: Element) => readonly Effect[]
  /** Formats the assumption that an element, or no element, is chosen. */
  readonly conditionOf: (element: Element | undefined) => string
}

/** The maximum number of elements that are followed individually if their probabilities are unknown. */
const MAX_ELEMENTS = 64

/** Lowers a lookup of a generated number. Undefined if the number of an element cannot be read. */
export function lowerGeneratedLookup(
  part: GeneratedPart,
  elements: readonly Element[],
  { effectsOf, conditionOf }: ElementChoice,
): Effect | undefined {
  const { isRandom, mod, offset } = part
  const ranges = elements.map(({ key }) => parseNumberRange(key, 'integer'))
  if (!ranges.every((range) => range !== undefined)) return undefined
  const numbers = { first: offset, last: offset + mod - 1 }
  const counts = ranges.map((range) => countNumbers([range], numbers))
  const possible = elements.filter((_, at) => counts[at] !== 0)
  if (isRandom || mod === 1) {
    const shares = counts.filter((count) => count !== 0).map((count) => createFraction(count, mod))
    return {
      kind: 'choose',
      choices: possible.map((element, at) => ({ share: shares[at], effects: effectsOf(element) })),
    }
  }
  if (possible.length > MAX_ELEMENTS) return undefined
  const choices = possible.map((element): Choice => ({ condition: conditionOf(element), effects: effectsOf(element) }))
  const isMissing = countNumbers(ranges, numbers) < mod
  return {
    kind: 'choose',
    choices: isMissing ? [...choices, { condition: conditionOf(undefined), effects: [] }] : choices,
  }
}
