import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.js'

const pathOf = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))

/** The pictures: their script, their folder, and the limit in bytes. */
const SETS = [
  { script: 'take-pictures.mjs', folder: 'docs/playground/', limit: 300_000 },
  { script: 'take-site-pictures.mjs', folder: 'docs/contributing/site/', limit: 100_000 },
]

/** Reads width and height from the header of a PNG. */
function sizeOf(file: string): readonly [number, number] {
  const bytes = readFileSync(file)
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

/** Returns the paths of the pictures that a page shows. */
function picturesIn(page: string): readonly string[] {
  return Array.from(
    readFileSync(pathOf(page), 'utf8').matchAll(/!\[[^\]]*\]\(([^)]+\.png)\)/g),
    ([, path]) => path ?? '',
  )
}

describeInBrowser('pictures in docs', () => {
  it.each(SETS)('of $script match the screenshots of the current page', ({ script, folder }) => {
    const current = mkdtempSync(join(tmpdir(), 'pictures-'))
    try {
      execFileSync('node', [pathOf(`packages/playground/scripts/${script}`), current], { stdio: 'pipe' })
      expect(readdirSync(current).sort()).toEqual(readdirSync(pathOf(folder)).sort())
      for (const name of readdirSync(current)) {
        // Fonts differ between machines; the width does not.
        expect(sizeOf(join(current, name))[0], name).toBe(sizeOf(pathOf(folder + name))[0])
      }
    } finally {
      rmSync(current, { recursive: true })
    }
  })

  it.each(SETS)('of $folder have at most $limit bytes', ({ folder, limit }) => {
    for (const name of readdirSync(pathOf(folder))) {
      expect(statSync(pathOf(folder + name)).size, name).toBeLessThanOrEqual(limit)
    }
  })

  it('are referenced by the README', () => {
    const shown = picturesIn('README.md')
    expect(shown).toContain('docs/playground/first.png')
    for (const path of shown) expect(existsSync(pathOf(path)), path).toBe(true)
  })

  it('of the playground all appear in its README', () => {
    const all = readdirSync(pathOf('docs/playground')).map((name) => `../../docs/playground/${name}`)
    expect(all.length).toBeGreaterThanOrEqual(8)
    expect([...picturesIn('packages/playground/README.md')].sort()).toEqual(all.sort())
  })

  it('of the site all appear on its page', () => {
    const folder = 'docs/contributing/'
    const all = readdirSync(pathOf(`${folder}site`)).map((name) => `site/${name}`)
    expect(all.length).toBeGreaterThanOrEqual(5)
    expect([...picturesIn(`${folder}site.md`)].sort()).toEqual(all.sort())
  })
})
