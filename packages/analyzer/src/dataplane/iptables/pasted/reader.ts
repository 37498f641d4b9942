import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { Asked, GoesOn, PastedReader } from '../../netfilter/pasted.js'
import type { IptablesProblemCode } from '../parse/problem.js'
import { askedTable } from './asked-table.js'
import { readChainHeading, readColumns, readRow } from './listing-row.js'
import { readBlocks } from './read-blocks.js'
import { isRestOf } from './rest-of-rule.js'

/** Reads excerpts of iptables rules and listings. */
export const pastedIptables: PastedReader<IptablesState, IptablesProblemCode> = {
  begins: (line, asked) => (isOurs(line, asked) ? after(line, asked) : undefined),
  read: readBlocks,
  coverageOfDump: ({ tables }) => {
    const names: readonly string[] = tables.map(({ name }) => name)
    // A dump with both tables that kube-proxy uses for decisions is assumed to have all tables.
    return { isWhole: names.includes('nat') && names.includes('filter'), whole: names, shownInPart: [] }
  },
}

function after(line: string, asked: Asked | undefined): GoesOn {
  return (next) => {
    if (next === '') return after('', asked)
    if (isRestOf(line, next)) return after(`${line} ${next}`, asked)
    // An unparsable line within a listing may still be a rule.
    return isOurs(next, asked) || (isOfListing(line) && isLikeRow(next)) ? after(next, asked) : undefined
  }
}

function isOfListing(line: string): boolean {
  return readChainHeading(line) !== undefined || readColumns(line) !== undefined || isLikeRow(line)
}

/** Reports whether a line resembles a row: columns separated by at least two blanks, or addresses. */
function isLikeRow(line: string): boolean {
  return /\S\s{2,}\S|\s--\s|\d\.\d+\.\d+\.\d|anywhere/.test(line) && !/^[-:*[]/.test(line)
}

function isOurs(line: string, asked: Asked | undefined): boolean {
  if (/^(?:\[\d+:\d+\]\s*)?-[AI]\s+"?[A-Za-z]/.test(line)) return true
  if (
    /^(?:\*(?:nat|filter|mangle|raw|security)\s*$|COMMIT\s*$|:[^\s:]+\s+(?:-|ACCEPT|DROP)(?:\s|$)|-[PN]\s+[A-Za-z])/.test(
      line,
    )
  )
    return true
  if (readChainHeading(line) !== undefined || readColumns(line) !== undefined) return true
  // Prose can resemble a row, so a row requires further evidence.
  return (askedTable(asked) !== undefined || /\s(?:--|-f)\s|::\/0|anywhere/.test(line)) && readRow(line) !== undefined
}
