import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/parse/tokenizer'
import type { IpFamily } from '@kube-rules/types'
import type { DumpLines } from '../../netfilter/dump-lines.js'
import { familyOfOptions } from './family-of-options.js'

/** One table: the lines from its `*NAME` to its COMMIT. */
export interface TableLines extends DumpLines {
  readonly name: string
}

/** Consecutive tables of one family with distinct names. */
interface Stretch {
  readonly family: IpFamily | undefined
  readonly tables: TableLines[]
}

/**
 * Determines the family of each table: from the preceding header, else from the addresses in the table and in adjacent
 * tables, else `fallback`. A second table with the same name starts another family.
 */
export function inferTableFamilies(
  tables: readonly TableLines[],
  fallback: IpFamily,
): ReadonlyMap<TableLines, IpFamily> {
  const families = new Map<TableLines, IpFamily>()
  for (const stretch of stretchesOf(tables)) {
    const family = stretch.family ?? guessFamily(stretch.tables) ?? fallback
    for (const table of stretch.tables) families.set(table, family)
  }
  return families
}

function stretchesOf(tables: readonly TableLines[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  for (const table of tables) {
    const last = stretches.at(-1)
    if (last !== undefined && belongsTo(table, last)) last.tables.push(table)
    else stretches.push({ family: table.family, tables: [table] })
  }
  return stretches
}

function belongsTo(table: TableLines, { family, tables }: Stretch): boolean {
  return table.family === family && tables.every(({ text, name }) => text === table.text && name !== table.name)
}

/** Returns the family of the first address in the rules. */
function guessFamily(tables: readonly TableLines[]): IpFamily | undefined {
  for (const { source } of tables) {
    for (let start = 0; start < source.length; ) {
      const newline = source.indexOf('\n', start)
      const end = newline < 0 ? source.length : newline
      const family = familyOfLine(source, start, end)
      if (family !== undefined) return family
      start = end + 1
    }
  }
  return undefined
}

function familyOfLine(source: string, start: number, end: number): IpFamily | undefined {
  const tokens = tokenize(source, start, end)
  return tokens.ok ? familyOfOptions(tokens.words) : undefined
}
