import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import { parseYaml } from '../../src/cluster/parse-yaml.js'
import { createYamlDocumentCache, splitYamlDocuments, splitYamlList } from '../../src/cluster/yaml-documents.js'

const MARKS = ['---', '--- ', '---\t', '...', '... ', '----', '--- a: 1', '--- |', '--- # c', '%YAML 1.2', '%TAG ! x:']
const LINES = [
  'a: 1',
  'b: &x 2',
  'c: *x',
  '- 1',
  ' - 2',
  'd: |',
  '  text',
  '  ---',
  'e: "',
  '"',
  "f: '",
  "'",
  'g: [',
  ']',
]
const MORE = [
  '# ---',
  '',
  ' ',
  '\t',
  'null',
  '{',
  '}',
  'h: >-',
  '? k',
  ': v',
  '<<: *x',
  '!!str 5',
  'a: 2',
  '\ufeff',
  '\ufeff---',
]

/** Lines that start, end and cross documents, with every kind of line break. */
const text = fc
  .array(fc.tuple(fc.constantFrom(...MARKS, ...LINES, ...MORE), fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')), {
    maxLength: 12,
  })
  .map((lines) => lines.flat().join(''))

const ITEM_LINES = ['- a: 1', '- b: &x 2', '- *x', '- c: *x', '-', '- - 1', '- d: |+', '- "', '- {', '-\ta: 1', '- # c']
const INDENTED_LINES = [
  '  e: 1',
  '  a: 1',
  '  f:',
  '  - g: "',
  '   h',
  '  }',
  '',
  ' ',
  '  # c',
  '# c',
  '  kind: Service',
]
const OTHER_LINES = ['kind: List', 'items:', 'metadata:', '---', '...', 'a: 1', 'i: [', '"']

/** Lines that are often a List. */
const listText = fc
  .tuple(
    fc.constantFrom('items:\n', 'kind: List\nitems:\n', 'items: \r\n', '# c\nitems:\n', 'a: |\n  b\nitems:\n'),
    fc.array(fc.constantFrom(...ITEM_LINES, ...ITEM_LINES, ...INDENTED_LINES, ...OTHER_LINES), { maxLength: 10 }),
    fc.constantFrom('\n', '\n', '\r\n', ''),
  )
  .map(([head, lines, end]) => head + lines.join('\n') + end)

function outcome(read: () => unknown): unknown {
  try {
    return { values: read() }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

describe('splitYamlDocuments', () => {
  it('splits the text at document boundaries', () => {
    expect(splitYamlDocuments('# c\n---\na: 1\n---b\n --- \n---')).toEqual(['# c\n', '---\na: 1\n---b\n --- \n', '---'])
    fc.assert(fc.property(text, (whole) => splitYamlDocuments(whole).join('') === whole))
  })
})

describe('splitYamlList', () => {
  it('splits the text at the items', () => {
    const [head, first, second, tail] = [
      'kind: List\nitems:\n',
      '- a: 1\n\n  b:\n  - c\n',
      '- d\n',
      'metadata:\n  e: 1\n',
    ]
    expect(splitYamlList(head + first + second + tail)).toEqual({ head, items: [first, second], tail })
    expect(splitYamlList(`${head}- a`)).toEqual({ head, items: ['- a'], tail: '' })
    expect(splitYamlList('other:\n- a\n')).toBeUndefined()
    expect(splitYamlList(head)).toBeUndefined()
    fc.assert(
      fc.property(listText, (whole) => {
        const { head: start, items, tail: end } = splitYamlList(whole) ?? { head: whole, items: [], tail: '' }
        expect(start + items.join('') + end).toBe(whole)
      }),
    )
  })
})

describe('parseYaml', () => {
  it.each(['\r', '\u2028', '\u2029'])('reports an error in a long text with line terminators %j', (terminator) => {
    expect(() => parseYaml(`kind: Service\nmetadata: "${terminator.repeat(1_000_000)}`)).toThrow('document 1, line')
  })

  it('recognizes a template after a carriage return', () => {
    expect(() => parseYaml('a: 1\r{{ if .Values.x }}: [')).toThrow('this is a template')
  })
})

describe('parseYaml with a cache of pieces', () => {
  it('returns the same result for each text as parseYaml without a cache', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(text, listText), { maxLength: 4 }), (texts) => {
        const known = createYamlDocumentCache()
        for (const each of texts) {
          expect(outcome(() => parseYaml(each, known))).toEqual(outcome(() => parseYaml(each)))
          known.turn(true)
        }
      }),
      { numRuns: fewRuns(3000) },
    )
  })

  it.each([
    ['directives precede the document mark', '%YAML 1.2\n---\na: 1\n---\nb: 2\n'],
    ['directives follow the end of a document', 'a: 1\n...\n%YAML 1.2\n---\nb: 2\n'],
    ['an anchor belongs to another document', 'a: &x 1\n---\nb: *x\n'],
    ['a block scalar ends at a document mark', 'a: |+\n  x\n\n---\nb: |\n  y\n---\n'],
    ['a quote is open at a document mark', 'a: "x\n---\nb": 1\n'],
    ['a key is duplicated before invalid YAML', 'a: 1\na: 2\n---\nb: [\n'],
    ['the third document is invalid YAML', 'a: 1\n---\nb: 2\n---\nc: ]\n'],
    ['a byte order mark precedes a document mark', '---\n\ufeff\n---\n'],
    ['an empty key is duplicated in the second document', '---\n---\n: v\n: v\n'],
    ['lines end with carriage returns', 'a: 1\r\n---\r\nb: ]\r\n'],
  ])('returns the same result as parseYaml without a cache if %s', (_, whole) => {
    const known = createYamlDocumentCache()
    for (let time = 0; time < 2; time++) {
      expect(outcome(() => parseYaml(whole, known))).toEqual(outcome(() => parseYaml(whole)))
      known.turn(time === 0)
    }
  })

  it('returns the identical value of an unchanged item of a List', () => {
    const known = createYamlDocumentCache()
    const read = (a: number) =>
      parseYaml(`items:\n- a: ${a}\n- b: 1\nkind: List\n`, known)[0] as { readonly items: readonly unknown[] }
    const first = read(1)
    known.turn(true)
    const second = read(2)
    expect(second).toEqual({ items: [{ a: 2 }, { b: 1 }], kind: 'List' })
    expect(second.items[1]).toBe(first.items[1])
  })

  it('limits the total number of merged keys across all documents', () => {
    const keys = Array.from({ length: 120 }, (_, index) => `k${index}: 1`).join(', ')
    const whole = `a: &x { ${keys} }\nb: { <<: *x }\n---\n`.repeat(100)
    expect(outcome(() => parseYaml(whole, createYamlDocumentCache()))).toEqual({
      error: expect.stringContaining('merge keys exceeded'),
    })
  })

  it('returns the identical value of an unchanged piece, but only once per text', () => {
    const known = createYamlDocumentCache()
    const first = parseYaml('---\na: 1\n---\nb: 1\n---\nb: 1\n', known)
    known.turn(true)
    const second = parseYaml('---\na: 2\n---\nb: 1\n---\nb: 1\n', known)
    expect(second).toEqual([{ a: 2 }, { b: 1 }, { b: 1 }])
    expect(second[0]).not.toBe(first[0])
    expect(second[1]).toBe(first[1])
    expect(second[2]).not.toBe(second[1])
  })

  it('keeps cached pieces while the text is invalid, and drops unused pieces when it is valid', () => {
    const known = createYamlDocumentCache()
    const read = (whole: string) => {
      const found = outcome(() => parseYaml(whole, known)) as { values?: unknown[]; error?: string }
      known.turn(found.error === undefined)
      return found.values
    }
    const first = read('a: 1\n---\nb: 1\n')
    expect(read('a: [\n---\nb: 1\n')).toBeUndefined()
    expect(read('a: 2\n---\nb: 1\n')?.[1]).toBe(first?.[1])
    read('a: 3\n')
    expect(read('a: 2\n---\nb: 1\n')?.[1]).not.toBe(first?.[1])
  })
})

describe('parseYaml of invalid text', () => {
  const HINT = '; this is a template, expected the output of helm template'

  it.each([
    ['a: {{ .Values.a }}', true],
    ['a: 1\n{{- if .Values.a }}\nb: 2\n{{- end }}', true],
    ['a: [\n# {{ .Values.a }}', false],
    ['a: {{', false],
  ])('names the tool that renders templates when %j is a template: %s', (text, isTemplate) => {
    expect(outcome(() => parseYaml(text))).toEqual({
      error: isTemplate ? expect.stringContaining(HINT) : expect.not.stringContaining(HINT),
    })
  })
})
