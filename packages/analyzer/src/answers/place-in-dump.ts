import { SUBSYSTEMS, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { lineOfRule as lineOfIptablesRule } from '../dataplane/iptables/line-of-rule.js'
import { lineOfRule as lineOfServer } from '../dataplane/ipvs/line-of-rule.js'
import { lineOfRule as lineOfNftablesRule } from '../dataplane/nftables/line-of-rule.js'
import { cleanLine } from '../dump/pasted/clean-line.js'

/** Where something stands in the texts of a dump. */
export interface PlaceInDump {
  /** Which of the texts, from 0. */
  readonly text: number
  /** From 1. */
  readonly line: number
}

/**
 * Where the rule of an answer (`Answer.rule`) stands in the texts of which a dump was read; undefined where it is in none of
 * them: it is what is missing, or what kube-proxy would write. Of several places the first.
 */
export function placeInDump(rule: string, texts: readonly string[]): PlaceInDump | undefined {
  for (const [text, source] of texts.entries()) {
    const lines = source.split(/\r\n|\n|\r/).map((line) => cleanLine(line).source.replace(/^\[\d+:\d+\]\s*/, ''))
    for (const name of SUBSYSTEMS) {
      const index = RULE_FINDERS[name]?.(rule, lines)
      if (index !== undefined) return { text, line: index + 1 }
    }
  }
  return undefined
}

/** The index of the line that says a rule, or makes the thing with an id. */
type RuleFinder = (rule: string, lines: readonly string[]) => number | undefined

/** Undefined where nobody asks. */
const RULE_FINDERS: { readonly [S in Subsystem]: RuleFinder | undefined } = {
  nftables: lineOfNftablesRule,
  ipset: undefined,
  ipvs: lineOfServer,
  addresses: undefined,
  iptables: lineOfIptablesRule,
}
