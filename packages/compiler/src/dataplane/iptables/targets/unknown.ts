import type { UnknownTarget } from '../ast.js'
import { joinRawWords } from '../quote.js'
import { type TargetPrinter, unchangedTarget } from './operations.js'

/** A target that fits no other kind. The rule parser stores the words of the target. */
export const unknownTargetPrinter: TargetPrinter<UnknownTarget> = {
  print: (target) => joinRawWords(target.words),
  list: (target) => joinRawWords(target.words.slice(2)),
  canonical: unchangedTarget,
}
