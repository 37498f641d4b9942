import { checkString, checkStrings } from '@kube-rules/compiler/internal/arguments/check-argument'
import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { findLineOfRule as lineOfIptablesRule } from '../dataplane/iptables/rule-lines.js'
import { findLineOfRule as lineOfServer } from '../dataplane/ipvs/server-lines.js'
import { findLineOfRule as lineOfNftablesRule } from '../dataplane/nftables/rule-lines.js'
import { cleanLine } from '../dump/pasted/clean-line.js'

/** A location in the outputs of a dump. */
export interface DumpLocation {
  /** The index of the input text, from 0. */
  readonly text: number
  /** The line, from 1. */
  readonly line: number
}

/**
 * Creates a function that locates the rule of a diagnosis (`Diagnosis.rule`) in the outputs of a dump. The function
 * returns undefined if no output contains the rule, for example because the rule is missing on the node. If there are
 * several locations, it returns the first location. The outputs are split into lines only once, at the first call.
 */
export function createRuleLocator(texts: readonly string[]): (rule: string) => DumpLocation | undefined {
  checkStrings('texts', texts, 'the texts of a dump')
  const linesOf = createLazyGetter(() => texts.map(toLines))
  return (rule) => {
    checkString('rule', rule, 'the rule of a diagnosis')
    for (const [text, lines] of linesOf().entries()) {
      for (const name of SUBSYSTEMS) {
        const index = RULE_FINDERS[name]?.(rule, lines)
        if (index !== undefined) return { text, line: index + 1 }
      }
    }
    return undefined
  }
}

/** Returns the lines of a text without decoration and without the counters of rules. */
function toLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/).map((line) => cleanLine(line).source.replace(/^\[\d+:\d+\]\s*/, ''))
}

/** Returns the index of the line that contains a rule, or that creates the resource with an id. */
type RuleFinder = (rule: string, lines: readonly string[]) => number | undefined

/** The finder of each subsystem; undefined if no diagnosis is about a rule of the subsystem. */
const RULE_FINDERS: { readonly [S in Subsystem]: RuleFinder | undefined } = {
  nftables: lineOfNftablesRule,
  ipset: undefined,
  ipvs: lineOfServer,
  addresses: undefined,
  iptables: lineOfIptablesRule,
}
