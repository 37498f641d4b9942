import { readdirSync, readFileSync } from 'node:fs'
import { type ParseDumpOptions, parseDump } from '../../src/dump/parse-dump.js'
import type { Dump } from '../../src/parse.js'

/** What a text says; throws if it cannot be read. */
export function readDump(text: string | readonly string[], options?: ParseDumpOptions): Dump {
  const result = parseDump(text, options)
  if (!result.ok) throw new Error(result.problems.map(({ message, frame }) => `${message}\n${frame}`).join('\n'))
  return result.dump
}

const CORPUS = new URL('../corpus/', import.meta.url)

/** The dumps of `test/corpus` by the name of their file. */
export const CORPUS_DUMPS: ReadonlyMap<string, string> = new Map(
  readdirSync(CORPUS)
    .filter((file) => !file.endsWith('.md'))
    .sort()
    .map((file) => [file, readFileSync(new URL(file, CORPUS), 'utf8')] as const),
)
