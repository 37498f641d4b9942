import type { LanguageName, NodeState } from './dataplane/languages.js'
import { liveLanguageOf } from './dataplane/live-language-of.js'
import { NO_ORIGIN } from './dataplane/netfilter/line-origin.js'
import { lazily } from './internal/lazily.js'
import { withLazy } from './internal/with-lazy.js'
import { type PrintStateOptions, printedParts } from './print.js'
import type { PrintedLine } from './view/printed-line.js'

/**
 * What `print` prints, line by line, with whose each is and what of the state it says. The texts, each with a line break
 * behind it, are the very bytes.
 */
export function printedLines(state: NodeState, options: PrintStateOptions = {}): readonly PrintedLine[] {
  return printedParts(state, options).flatMap(({ language, heading, text, options: spelled }) => {
    const lines = linesOf(text)
    const origins = liveLanguageOf(language).originsOf(lines, state[language], spelled)
    return [
      ...linesOf(heading).map((line) => printedLine(line, language)),
      ...lines.map((line, index) => printedLine(line, language, origins[index])),
    ]
  })
}

function printedLine(text: string, language: LanguageName, origin = NO_ORIGIN): PrintedLine {
  const { owner: servicePort, place, rules = () => [] } = origin
  const told = lazily(() => rules().map((rule) => ({ language, ...rule })))
  return withLazy({ text, language, servicePort, place }, 'rules', told)
}

/** Whole lines, without their ends. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
