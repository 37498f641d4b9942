import type { Rule } from './ast.js'
import { LISTED } from './print/spelling.js'
import { printRule } from './print/statements.js'

/** A rule for people: as nft lists it, but for statements that only JSON tells of, which are JSON. */
export function ruleText({ statements, comment }: Rule): string {
  const words = statements.map((statement) =>
    statement.kind === 'unknownJson' ? statement.json : printRule({ statements: [statement] }, LISTED['1.1']),
  )
  return [...words, ...(comment === undefined ? [] : [printRule({ statements: [], comment }, LISTED['1.1'])])].join(' ')
}
