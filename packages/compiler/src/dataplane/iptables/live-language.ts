import type { LiveLanguage } from '../live-language.js'
import type { IptablesState } from './ast.js'
import { TABLE_NAMES } from './built-in-chains.js'
import { canonicalState } from './canonical-state.js'
import { compareIptables } from './compare/compare-iptables.js'
import type { IptablesItem } from './compare/table-pair.js'
import { effectOf } from './effect-of.js'
import { iptablesStations, placesOfRules } from './evaluate/evaluate.js'
import { lineOfRule } from './line-of-rule.js'
import { linesOfState } from './lines-of-state.js'
import { IPTABLES_PROBLEM_CODES, type IptablesProblemCode } from './parse/problem.js'
import { headingOf, isCommit, readTables } from './parse/read.js'
import { partsOfTables } from './parts.js'
import { pastedIptables } from './pasted/reader.js'
import { chainId } from './resources.js'
import { scriptIptables } from './script/script.js'

/** How they are dealt with on a node. */
export const liveIptablesLanguage: LiveLanguage<IptablesState, IptablesItem, IptablesProblemCode> = {
  printedBy: 'iptables-save',
  begins: (line) => (/^\s*\*/.test(line) ? isCommit : undefined),
  headingOf,
  read: readTables,
  pasted: pastedIptables,
  problemCodes: IPTABLES_PROBLEM_CODES,
  canonical: canonicalState,
  appliesByLine: false,
  script: scriptIptables,
  effectOf,
  lineOfRule,
  stations: iptablesStations,
  placeOf: ({ by, chain }) => {
    const table = TABLE_NAMES.find((name) => by === `iptables ${name}`)
    return table && chainId(table, chain)
  },
  places: placesOfRules,
  partsOf: partsOfTables,
  isAllAsked: (state, known) =>
    TABLE_NAMES.every((name) => known.isWhole('iptables', name) || state?.tables.some((table) => table.name === name)),
  knows: () => ({}),
  linesOf: linesOfState,
  madeOf: 'tables',
  compare: compareIptables,
}
