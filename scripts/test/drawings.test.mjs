import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DRAWINGS } from '../drawings/drawings.mjs'
import { box, label, printDrawing } from '../drawings/svg.mjs'

const DOCS = new URL('../../docs/', import.meta.url)
const read = (path) => readFileSync(new URL(path, DOCS), 'utf8')

const pages = readdirSync(DOCS, { recursive: true })
  .filter((file) => file.endsWith('.md') && !file.startsWith('reference/api/'))
  .map(read)
const images = pages.flatMap((text) => Array.from(text.matchAll(/!\[([^\]]*)\]\(\S*?([\w-]+\.svg)\)/g)))

describe('docs/drawings', () => {
  it('has exactly the drawings that `pnpm drawings` writes', () => {
    expect(readdirSync(new URL('drawings/', DOCS)).sort()).toEqual(Object.keys(DRAWINGS).sort())
  })

  it.each(Object.keys(DRAWINGS))('has %s as `pnpm drawings` writes it', (name) => {
    expect(read(`drawings/${name}`)).toBe(printDrawing(DRAWINGS[name]))
  })

  it.each(Object.keys(DRAWINGS))('shows %s on a page with an alternative text', (name) => {
    const texts = images.filter(([, , file]) => file === name).map(([, text]) => text)
    expect(texts).not.toEqual([])
    for (const text of texts) expect(text.length).toBeGreaterThan(40)
  })

  it('shows the same chains and addresses as the command on the front page', () => {
    const output = read('index.md')
    const texts = Array.from(
      read('drawings/packet-path.svg').matchAll(/<text[^>]*>([^<]*\d[^<]*|KUBE-[^<]*)</g),
      ([, text]) => text,
    )
    expect(texts.length).toBeGreaterThan(6)
    for (const text of texts) expect(output).toContain(text.replace(/^(?:client|to) |…$/g, ''))
  })
})

describe('printDrawing', () => {
  it('prints the parts in order and escapes their texts', () => {
    const parts = [box([0, 0, 10, 20], ['a < b'], 'end'), label([1, 2], ['soft', 'c & d'], 'start')]
    const text = printDrawing({ width: 100, height: 50, title: 'a title', parts })
    expect(text).toContain('width="100" height="50" viewBox="0 0 100 50"')
    expect(text).toContain('<title>a title</title>')
    expect(text).toContain(
      [
        '  <rect class="box end" x="0" y="0" width="10" height="20" rx="7"/>',
        '  <text x="5" y="10" text-anchor="middle" dominant-baseline="central">a &lt; b</text>',
        '  <text class="soft" x="1" y="2" text-anchor="start" dominant-baseline="central">c &amp; d</text>',
      ].join('\n'),
    )
  })

  it('has a dark-mode colour for every class with a colour', () => {
    const [light, dark] = printDrawing({ width: 1, height: 1, title: '', parts: [] }).split('@media')
    const coloured = (text) =>
      Array.from(text.matchAll(/^ +(\.?[\w-]+) \{[^}]*#[0-9a-f]{6}/gm), ([, selector]) => selector).sort()
    expect(coloured(dark)).toEqual(coloured(light))
  })
})
