import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { LineContinuation, PastedCommand, PasteReader } from '../../netfilter/pasted.js'
import type { IptablesProblemCode } from '../parse/problem.js'
import { readChainHeading, readListingColumns, readListingRow } from './listing-row.js'
import { readPastedBlocks } from './read-pasted-blocks.js'
import { parseRequestedTable } from './requested-table.js'
import { isRuleContinuation } from './rest-of-rule.js'

/** Reads excerpts of iptables rules and listings. */
export const iptablesPasteReader: PasteReader<IptablesState, IptablesProblemCode> = {
  begins: (line, command) => (isOwned(line, command) ? after(line, command) : undefined),
  read: readPastedBlocks,
  coverageOfDump: ({ tables }) => {
    const names: readonly string[] = tables.map(({ name }) => name)
    // A dump with the nat and filter tables is assumed to have all tables.
    return { isComplete: names.includes('nat') && names.includes('filter'), complete: names, truncated: [] }
  },
}

function after(line: string, command: PastedCommand | undefined): LineContinuation {
  return (next) => {
    if (next === '') return after('', command)
    if (isRuleContinuation(line, next)) return after(`${line} ${next}`, command)
    // Within a listing, even an unparsable line that resembles a row may be a rule.
    return isOwned(next, command) || (isOfListing(line) && isLikeRow(next)) ? after(next, command) : undefined
  }
}

function isOfListing(line: string): boolean {
  return readChainHeading(line) !== undefined || readListingColumns(line) !== undefined || isLikeRow(line)
}

/** Reports whether a line resembles a row: columns separated by at least two spaces, or addresses. */
function isLikeRow(line: string): boolean {
  return /\S\s{2,}\S|\s--\s|\d\.\d+\.\d+\.\d|anywhere/.test(line) && !/^[-:*[]/.test(line)
}

function isOwned(line: string, command: PastedCommand | undefined): boolean {
  if (/^(?:\[\d+:\d+\]\s*)?-[AI]\s+"?[A-Za-z]/.test(line)) return true
  if (
    /^(?:\*(?:nat|filter|mangle|raw|security)\s*$|COMMIT\s*$|:[^\s:]+\s+(?:-|ACCEPT|DROP)(?:\s|$)|-[PN]\s+[A-Za-z])/.test(
      line,
    )
  )
    return true
  if (readChainHeading(line) !== undefined || readListingColumns(line) !== undefined) return true
  // Prose can look like a row, so further properties of a row are required.
  return (
    (parseRequestedTable(command) !== undefined || /\s(?:--|-f)\s|::\/0|anywhere/.test(line)) &&
    readListingRow(line) !== undefined
  )
}
