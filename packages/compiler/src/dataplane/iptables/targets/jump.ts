import { checkPlainWord } from '../quote.js'
import { identity, type TargetOf, type TargetOperations } from './operations.js'

/** `-j CHAIN`. The rule parser handles it, because the set of chain names depends on the table. */
export const jump: TargetOperations<TargetOf<'jump'>> = {
  print: (target) => `-j ${checkPlainWord(target.chain)}`,
  canonical: identity,
  evaluate: ({ chain }) => ({ kind: 'jump', chain }),
}

/** `-g CHAIN`. */
export const goto: TargetOperations<TargetOf<'goto'>> = {
  print: (target) => `-g ${checkPlainWord(target.chain)}`,
  canonical: identity,
  evaluate: ({ chain }) => ({ kind: 'goto', chain }),
}
