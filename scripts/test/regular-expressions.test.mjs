import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSlowLoops } from '../regular-expressions/find-slow-loops.mjs'
import { readPatterns } from '../regular-expressions/read-patterns.mjs'

const ROOT = join(import.meta.dirname, '../..')

const FOLDERS = ['packages', 'examples'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .map((name) => join(folder, name, 'src'))
    .filter((path) => existsSync(join(ROOT, path))),
)

const PATTERNS = FOLDERS.flatMap((folder) => {
  const files = readdirSync(join(ROOT, folder), { recursive: true }).filter((name) => name.endsWith('.ts'))
  return files.flatMap((name) => {
    const path = join(folder, name)
    return readPatterns(readFileSync(join(ROOT, path), 'utf8')).map((pattern) => ({ ...pattern, path }))
  })
})

describe('regular expressions of the sources', () => {
  it('match in linear time', () => {
    const slow = PATTERNS.flatMap(({ source, flags, path, line }) => {
      const text = findSlowLoops(source, flags)
      return text === undefined
        ? []
        : [`${path}:${line} reads ${JSON.stringify(text)} in two loops: /${source}/${flags}`]
    })
    expect(slow).toEqual([])
    expect(PATTERNS.length).toBeGreaterThan(400)
  }, 120_000)
})

describe('findSlowLoops', () => {
  it.each([
    ['the end of a line that starts within the loop', /^[^#\n]*\{\{/m],
    ['spaces before the end of a text', /\s+$/],
    ['spaces before a word', /\s*->/],
    ['two loops in a row over the same characters', /^\d+\.?\d*$/],
    ['two loops that a separator does not keep apart', /^.*,.*;$/],
    ['a loop within a loop', /^(?:\S*\/)+$/],
    ['an alternative that matches the same', /^(?:a|aa)*$/],
    ['a first word that occurs again after it', /src=\S+ dst=/],
    ['a lookahead to the end of the line', /a(?=.*b)/],
    ['a lookbehind to the start of the line', /(?<=a\S*)b/],
    ['a loop before a word boundary', /\w*\b-/],
    ['cases that are the same', /^[a-z]*[A-Z]*;/i],
    ['at least so many', /^a{3,}a{2,}b/],
    ['a limit of thousands', /^[ab]{0,5000}b{0,5000}$/],
    ['a property', /^\p{Lu}+[A-Z]*;/u],
    ['a code point', /^[\u{1f600}-\u{1f64f}]+\u{1f600}*;/u],
  ])('finds %s', (_, { source, flags }) => {
    expect(findSlowLoops(source, flags)).toEqual(expect.any(String))
  })

  it.each([
    ['line terminators that the loop does not read', /^[^#\n\r\u2028\u2029]*\{\{/m],
    ['a loop that every text ends', /\s+/g],
    ['a start that is anchored', /^\s+x/],
    ['a search that continues at its last end', /\s+x/y],
    ['a separator that the loops do not read', /^[^,]*,[^;]*;$/],
    ['a loop that reads everything', /^(-A \S+).*$/s],
    ['the end of a line after everything in it', /^a.*$/gm],
    ['a start after another character only', /(?<![\w.])\w+:/],
    ['a start after a space or nothing', /(?<=\s|^)\w+:/],
    ['a limited number', /^(?:-\S+\s+){0,5}a/],
    ['a string without its end', /"(?:[^"\\]|\\.)*"?/g],
    ['a lookahead for one character', /\d(?=[,}])/],
    ['a lookbehind for words before a space', /(?<=^\S+ )-\d+/],
    ['classes with a range, an escape and a hyphen', /^[a-c\]x-]+[\d\t]*[\x7f]/],
  ])('accepts %s', (_, { source, flags }) => {
    expect(findSlowLoops(source, flags)).toBeUndefined()
  })

  it('rejects syntax that it does not know', () => {
    expect(() => findSlowLoops(String.raw`^(a*)\1$`)).toThrow('cannot be checked')
  })
})

describe('readPatterns', () => {
  it('returns literals and constructed expressions', () => {
    const text = [
      "const word = '[a-z]+'",
      'const all = [/a/g, new RegExp(`^%{word}(?:%{other})$`, "m"), new RegExp(isLong ? "b" : String.raw`\\d` + "c")]',
      'const joined = new RegExp([String.raw`\\s`, word].join(""))',
    ]
    expect(readPatterns(text.join('\n').replaceAll('%', '$'))).toEqual([
      { source: 'a', flags: 'g', line: 2 },
      { source: '^[a-z]+(?:x)$', flags: 'm', line: 2 },
      { source: 'b', flags: '', line: 2 },
      { source: String.raw`\dc`, flags: '', line: 2 },
      { source: String.raw`\s[a-z]+`, flags: '', line: 3 },
    ])
  })
})
