import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

// The pages of the API, as `pnpm docs:build` writes them from docstrings.

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const SITE = `${ROOT}build/site`

const reports = readdirSync(`${ROOT}etc`).map((file) => file.replace('.api.md', ''))
const pageOf = (report: string) => readFileSync(`${SITE}/reference/api/${report}.html`, 'utf8')

/** The names that an entry point exports according to its report in etc/. */
function exportsOf(report: string): readonly string[] {
  const text = readFileSync(`${ROOT}etc/${report}.api.md`, 'utf8')
  const pattern = /^export (?:(?:const|function|interface|type|class) (\w+)|\{ (\w+) \})/gm
  return Array.from(text.matchAll(pattern), ([, own, other]) => own ?? other ?? '')
}

/** The names below the headings of a page that have a paragraph before their details; overloads have headings of their own. */
function describedNames(page: string): readonly string[] {
  return page
    .split('<h3 ')
    .map((section) => section.replace(/<h[24] [^>]*>(?!Call Signature).*/s, ''))
    .filter((section) => /<p>./.test(section))
    .map((section) => /^[^>]*>(\w+)/.exec(section)?.[1] ?? '')
}

function isDead(link: string, from: string): boolean {
  const { pathname, hash } = new URL(link, `http://site${from}`)
  const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
  const file = existsSync(`${SITE}${path}`) ? `${SITE}${path}` : `${SITE}${path}.html`
  return !existsSync(file) || !(hash === '' || readFileSync(file, 'utf8').includes(`id="${hash.slice(1)}"`))
}

describe('the API reference of the site', () => {
  it.each(reports)('describes every export of %s', (report) => {
    expect(exportsOf(report)).not.toEqual([])
    expect(describedNames(pageOf(report))).toEqual(expect.arrayContaining([...exportsOf(report)]))
  })

  it.each(reports)('lists the members of each type derived from a list in %s', (report) => {
    const text = pageOf(report)
      .replace(/<[^>]*>/g, '')
      .replaceAll('&quot;', '"')
    expect(text).not.toMatch(/typeof [A-Z_]+\[/)
    if (report === 'compiler') expect(text).toContain('type TextFormat = "restore" | "save" | "listing";')
  })

  it.each([...reports.map((report) => `/reference/api/${report}.html`), '/reference/api.html'])(
    'has no dead link in %s',
    (path) => {
      const html = readFileSync(`${SITE}${path}`, 'utf8')
      const links = new Set(Array.from(html.matchAll(/ href="([^"]*)"/g), ([, link]) => link ?? ''))
      expect([...links].filter((link) => !/^[a-z]+:/.test(link) && isDead(link, path))).toEqual([])
    },
  )

  it.each(reports)('has at most 300 kB for %s', (report) => {
    expect(statSync(`${SITE}/reference/api/${report}.html`).size).toBeLessThanOrEqual(300_000)
  })
})
