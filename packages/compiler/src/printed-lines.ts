import type { LanguageName, NodeState } from './dataplane/languages.js'
import { liveLanguageOf } from './dataplane/live-language-of.js'
import { type LineOrigin, NO_ORIGIN } from './dataplane/netfilter/line-origin.js'
import { type PrintStateOptions, printedParts } from './print.js'
import type { PrintedLine } from './view/printed-line.js'
import type { RuleReference } from './view/view.js'

/**
 * What `print` prints, line by line, with whose each is and what of the state it says. The texts, each with a line break
 * behind it, are the very bytes.
 */
export function printedLines(state: NodeState, options: PrintStateOptions = {}): readonly PrintedLine[] {
  return printedParts(state, options).flatMap(({ language, heading, text, options: spelled }) => {
    const lines = linesOf(text)
    const origins = liveLanguageOf(language).originsOf(lines, state[language], spelled)
    return [
      ...linesOf(heading).map((line) => printedLine(line, language, NO_ORIGIN)),
      ...lines.map((line, index) => printedLine(line, language, origins[index] ?? NO_ORIGIN)),
    ]
  })
}

/** Where a line has what its rules are told of; it is no part of the data. */
const ORIGIN: unique symbol = Symbol('origin')

interface OriginatedLine extends Omit<PrintedLine, 'rules'> {
  readonly [ORIGIN]: LineOrigin
}

/** One function for all lines, of which there are very many: rules are told when they are asked for. */
const RULES: PropertyDescriptor = {
  enumerable: true,
  get(this: OriginatedLine): readonly RuleReference[] {
    const { language, [ORIGIN]: origin } = this
    return origin.rules?.().map((rule) => ({ language, ...rule })) ?? []
  },
}

function printedLine(text: string, language: LanguageName, origin: LineOrigin): PrintedLine {
  const line = { text, language, servicePort: origin.owner, place: origin.place }
  Object.defineProperty(line, ORIGIN, { value: origin })
  return Object.defineProperty(line, 'rules', RULES) as typeof line & Pick<PrintedLine, 'rules'>
}

/** Whole lines, without their ends. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
