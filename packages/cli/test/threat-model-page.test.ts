import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
const PAGE = textOf('docs/explanation/threat-model.md')

/** The definition of each limit of the page: a file, the beginning of the definition, and its value. */
const LIMITS: Readonly<Record<string, readonly [path: string, definition: string, value: string]>> = {
  'size of an input file, in MiB': ['cli/src/process-context.ts', 'MAX_INPUT_BYTES: number = 500 * 2 ** 20', '500'],
  'depth of lists in lists, with the list of documents': [
    'types/src/schema/manifest-documents.ts',
    'MAXIMUM_DEPTH = 32',
    '32',
  ],
  'values with aliases, for each value that the YAML contains': [
    'types/src/schema/expanded-aliases.ts',
    'MAXIMUM_FACTOR = 10',
    '10',
  ],
  'problems of a dump, for each tool': [
    'analyzer/src/dataplane/netfilter/text-problem.ts',
    'MAX_PROBLEMS = 100',
    '100',
  ],
  'rules that the paths of one packet match': [
    'analyzer/src/trace/trace-paths.ts',
    'EFFORT: Budget = { instructions: 100_000',
    '100,000',
  ],
  'unknown conditions on the paths of one packet': ['analyzer/src/trace/trace-paths.ts', 'forks: 256 }', '256'],
  'classes of packets that `compare` traces': [
    'analyzer/src/compare/compare-sides.ts',
    'MAX_CLASSES = 1_000_000',
    '1,000,000',
  ],
  'changes in a Markdown report': ['analyzer/src/compare/print-comparison-markdown.ts', 'MAX_CHANGES = 100', '100'],
  'characters of a Markdown report': [
    'analyzer/src/compare/print-comparison-markdown.ts',
    'LONGEST_COMMENT = 60_000',
    '60,000',
  ],
  'data of a link, in MiB': ['playground/src/question/permalink.ts', 'MOST_BYTES = 64 * 2 ** 20', '64'],
}

/** The limit of the YAML parser, which another test of the parser reaches. */
const OF_THE_PARSER = ['depth of values in YAML', '100']

describe('the limits on the page of the threat model', () => {
  const [, table = ''] = /^\| limit \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(PAGE) ?? []
  const rows = table
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim()),
    )

  it('are those of the code', () => {
    const limits = Object.entries(LIMITS).map(([limit, [, , value]]) => [limit, value])
    expect(new Map(rows as [string, string][])).toEqual(new Map([...limits, OF_THE_PARSER] as [string, string][]))
  })

  it.each(Object.entries(LIMITS))('are defined where this test looks: %s', (_, [path, definition]) => {
    expect(textOf(`packages/${path}`)).toMatch(new RegExp(`${definition.replace(/[*{]/g, '\\$&')}(?!\\d)`))
  })
})
