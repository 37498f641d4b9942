import type { Verdict } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { verdictOfTarget } from '@kube-rules/compiler/internal/dataplane/iptables/verdicts/verdicts'
import { takeWord, type Words } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import type { IpFamily } from '@kube-rules/types'
import { isExtensionTarget } from './extension-targets.js'
import { isAtExtensionOption, skipExtensionWords } from './extension-words.js'

/** What a rule is read against. */
export interface RuleContext {
  readonly family: IpFamily
  /** The chains the table has so far. */
  readonly chains: ReadonlySet<string>
}

export function isVerdictOption(option: string): boolean {
  return option === '-j' || option === '--jump' || isGotoOption(option)
}

function isGotoOption(option: string | undefined): boolean {
  return option === '-g' || option === '--goto'
}

/** Reads the verdict at the cursor, which is `-j` or `-g`. What no kind of verdict reads to its end becomes unknown words. */
export function parseVerdict(words: Words, context: RuleContext): Verdict {
  const start = words.at
  const isGoto = isGotoOption(words.raw[start])
  words.at++
  const target = takeWord(words)
  const verdict = target === undefined ? undefined : readTarget(words, target, isGoto, context)
  if (verdict !== undefined && !isAtExtensionOption(words, false)) return verdict
  words.at = Math.min(start + 2, words.raw.length)
  skipExtensionWords(words, true, false)
  return { kind: 'unknown', words: words.raw.slice(start, words.at) }
}

/** A chain of the table, a target that is understood, or a chain that another text creates. */
function readTarget(words: Words, target: string, isGoto: boolean, context: RuleContext): Verdict | undefined {
  if (isGoto) return { kind: 'goto', chain: target }
  const language = verdictOfTarget(target)
  // Most targets are chains, and there are very many of these: whether the name is one of the few others is quicker known.
  const isChain = (language === undefined && !isExtensionTarget(target)) || context.chains.has(target)
  return isChain ? { kind: 'jump', chain: target } : language?.parse?.(words, context.family)
}
