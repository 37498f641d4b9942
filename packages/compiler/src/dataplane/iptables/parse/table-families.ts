import { type IpFamily, parseIp } from '@kube-rules/types'
import type { Passage } from '../../netfilter/passages.js'
import { tokenize } from './tokenizer.js'

/** One table: the lines from its `*NAME` to its COMMIT. */
export interface TablePassage extends Passage {
  readonly name: string
}

/** Tables of one family: each once. */
interface Run {
  readonly family: IpFamily | undefined
  readonly tables: TablePassage[]
}

/**
 * The family of each table: what the header before it says, else the addresses in it and in the tables beside it, else
 * `otherwise`. A second table of one name begins another family.
 */
export function tableFamilies(
  tables: readonly TablePassage[],
  otherwise: IpFamily,
): ReadonlyMap<TablePassage, IpFamily> {
  const families = new Map<TablePassage, IpFamily>()
  for (const run of runsOf(tables)) {
    const family = run.family ?? guessFamily(run.tables) ?? otherwise
    for (const table of run.tables) families.set(table, family)
  }
  return families
}

function runsOf(tables: readonly TablePassage[]): readonly Run[] {
  const runs: Run[] = []
  for (const table of tables) {
    const last = runs.at(-1)
    if (last !== undefined && belongsTo(table, last)) last.tables.push(table)
    else runs.push({ family: table.family, tables: [table] })
  }
  return runs
}

function belongsTo(table: TablePassage, { family, tables }: Run): boolean {
  return table.family === family && tables.every(({ text, name }) => text === table.text && name !== table.name)
}

/** That of the first address in the rules. */
function guessFamily(tables: readonly TablePassage[]): IpFamily | undefined {
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

const ADDRESS_OPTIONS: readonly string[] = ['-s', '-d', '--source', '--destination', '--to-destination']

function familyOfLine(source: string, start: number, end: number): IpFamily | undefined {
  const tokens = tokenize(source, start, end)
  if (!tokens.ok) return undefined
  for (const [index, word] of tokens.words.entries()) {
    const family = ADDRESS_OPTIONS.includes(word) ? familyOfWord(tokens.words[index + 1] ?? '') : undefined
    if (family !== undefined) return family
  }
  return undefined
}

/** Of `10.0.0.0/8`, `fd00::1`, `10.0.0.1:80` or `[fd00::1]:80`. */
function familyOfWord(word: string): IpFamily | undefined {
  const [, bracketed, plain = ''] = /^(?:\[([^\]/]*)\]|([^/]*))/.exec(word) ?? []
  return parseIp(bracketed ?? plain)?.family ?? parseIp(plain.split(':', 1)[0] ?? '')?.family
}
