import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/tokenizer'
import { readChainHeading, readListingColumns, readListingRow } from './listing-row.js'

/** Maximum length of a rule that was broken into several lines. */
const LONGEST = 4096

/** Reports whether a line may continue a rule or a listing row that a web page or mail broke into lines. */
export function isRuleContinuation(before: string, source: string): boolean {
  if (before.length > LONGEST || isBeginning(source)) return false
  return isRule(before) ? isRestOfRule(before, source) : isRestOfRow(before, source)
}

function isRule(source: string): boolean {
  return /^(?:\[\d+:\d+\]\s*)?-[AI]\s/.test(source)
}

/** Reports whether a line begins something new: a rule, declaration or listing. */
function isBeginning(source: string): boolean {
  return (
    /^(?:\*[a-z]+\s*$|COMMIT\b|:\S+ (?:-|ACCEPT|DROP)|-[PNAIX]\s|\[\d+:\d+\])/.test(source) ||
    readChainHeading(source) !== undefined ||
    readListingColumns(source) !== undefined
  )
}

function isRestOfRule(before: string, source: string): boolean {
  if (isCompleteRule(before)) return false
  const isQuoteOpen = !tokenize(before, 0, before.length).ok
  // The value of an option may be on the next line.
  if (/\s--?[a-z][a-z-]*$/.test(before) && /^[\w.:/"!-]+(?:\s|$)/.test(source)) return true
  return (isQuoteOpen && source.includes('"')) || /^(?:--?[a-z]|!\s|"|[^\s"]{1,80}(?:"|\s+-))/.test(source)
}

/**
 * Reports whether a rule has a target and all its quotes are closed. Options of the target may still follow on the next
 * line.
 */
export function isCompleteRule(source: string): boolean {
  const tokens = tokenize(source, 0, source.length)
  if (!tokens.ok) return false
  const { words } = tokens
  const at = words.findIndex((word) => word === '-j' || word === '-g')
  const target = at < 0 ? undefined : words[at + 1]
  if (target === undefined) return false
  return !/^(?:DNAT|SNAT)$/.test(target) || words.length > at + 3
}

/** Matches text after the destination of a row. */
const BEHIND_DESTINATION =
  /^(?:\/\*|ADDRTYPE match|(?:tcp|udp|sctp)\s+(?:[sd]pts?|to):|to:\d|statistic mode|(?:conn)?mark match|MARK (?:or|and|set|xset)\b|ctstate |state |reject-with |redir ports |recent: |match-set )/

/**
 * Reports whether a line is the rest of a row that was broken: the text after the columns of the row, possibly with the
 * destination.
 */
function isRestOfRow(before: string, source: string): boolean {
  if (readListingRow(source) !== undefined) return false
  if (readListingRow(before) === undefined)
    return isHalfRow(before) && readListingRow(`${before} ${source}`) !== undefined
  return before.lastIndexOf('/*') > before.lastIndexOf('*/') || BEHIND_DESTINATION.test(source)
}

function isHalfRow(source: string): boolean {
  return /^[A-Za-z]\S*\s+(?:all|tcp|udp|sctp)\s+--(?:\s+\S+)?$/.test(source)
}
