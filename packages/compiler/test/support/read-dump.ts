import { readdirSync, readFileSync } from 'node:fs'
import { type ParseOptions, parseDump } from '../../../analyzer/src/dump/parse-dump.js'
import type { Dump } from '../../src/dataplane/node-state.js'

/**
 * Parses a dump.
 *
 * @throws if the text is invalid.
 */
export function readDump(text: string | readonly string[], options?: ParseOptions): Dump {
  const parsed = parseDump(text, options)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message, excerpt }) => `${message}\n${excerpt}`).join('\n'))
  return parsed.value
}

const CORPUS = new URL('../../../analyzer/test/corpus/', import.meta.url)

/** The dumps of `test/corpus` by file name. */
export const CORPUS_DUMPS: ReadonlyMap<string, string> = new Map(
  readdirSync(CORPUS)
    .filter((file) => !file.endsWith('.md'))
    .sort()
    .map((file) => [file, readFileSync(new URL(file, CORPUS), 'utf8')] as const),
)
