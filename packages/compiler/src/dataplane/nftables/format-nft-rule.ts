import type { Rule } from './ast.js'
import { canonicalize } from './canonical.js'
import { NFT_FORMATS } from './print/nftables-format.js'
import { printRule } from './print/statements.js'

/**
 * Formats a rule for messages, as its normal form in the format of an nft listing. Statements that occur only in JSON
 * are formatted as JSON.
 */
export function formatNftRule(rule: Rule): string {
  const { statements, comment } = canonicalizeRule(rule)
  const words = statements.map((statement) =>
    statement.kind === 'unknownJson' ? statement.json : printRule({ statements: [statement] }, NFT_FORMATS['1.1']),
  )
  return [
    ...words,
    ...(comment === undefined ? [] : [printRule({ statements: [], comment }, NFT_FORMATS['1.1'])]),
  ].join(' ')
}

function canonicalizeRule(rule: Rule): Rule {
  const chains = [{ name: 'chain', rules: [rule] }]
  const [chain] = canonicalize({ family: 'ip', name: 'table', chains, sets: [], objects: [] }).chains
  return chain?.rules[0] ?? rule
}
