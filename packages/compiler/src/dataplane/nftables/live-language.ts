import type { Resource } from '../../diff/resource.js'
import { findingOf } from '../../internal/findings.js'
import { lazily } from '../../internal/lazily.js'
import type { LiveLanguage } from '../live-language.js'
import { linesWithOrigins } from '../netfilter/lines-with-origins.js'
import { tableOwners } from './claims.js'
import { canonicalState, compareNftables } from './compare.js'
import { effectOf } from './effect-of.js'
import { nftablesStations } from './evaluate/evaluate.js'
import { placesOfTables } from './evaluate/places.js'
import { nftablesLanguage } from './language.js'
import { lineOfRule } from './line-of-rule.js'
import { originsOfLines } from './origins/origins-of-lines.js'
import { NFTABLES_PROBLEM_CODES, type NftablesProblemCode } from './parse/problem.js'
import { partsOfContributions } from './parts.js'
import { pastedNftables } from './pasted/reader.js'
import { begins, readTables } from './read.js'
import { isNftablesId } from './resources.js'
import { scriptNftables } from './script.js'
import type { NftablesState } from './state.js'

/** How they are dealt with on a node. */
export const liveNftablesLanguage: LiveLanguage<NftablesState, Resource, NftablesProblemCode> = {
  printedBy: 'nft list ruleset',
  begins,
  read: readTables,
  pasted: pastedNftables,
  problemCodes: NFTABLES_PROBLEM_CODES,
  canonical: canonicalState,
  appliesByLine: false,
  script: scriptNftables,
  effectOf,
  lineOfRule,
  stations: (state, knowledge) =>
    nftablesStations(
      state,
      knowledge,
      lazily(() => findingOf(state, tableOwners)),
    ),
  placeOf: ({ by, chain }) => (isNftablesId(by) ? `${by} chain ${chain}` : undefined),
  places: placesOfTables,
  partsOf: partsOfContributions,
  isAllAsked: (_state, known) => known.isWhole('nftables'),
  knows: () => ({}),
  linesOf: (state, options, make) =>
    linesWithOrigins(nftablesLanguage.print(state, options), (lines) => originsOfLines(lines, state, options), make),
  madeOf: 'tables',
  compare: compareNftables,
}
