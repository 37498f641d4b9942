import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../support/browser.js'

const SCRIPT = fileURLToPath(new URL('../../scripts/take-pictures.mjs', import.meta.url))
const PICTURES = fileURLToPath(new URL('../../../../docs/playground/', import.meta.url))
const README = fileURLToPath(new URL('../../../../README.md', import.meta.url))

/** Reads width and height from the header of a PNG. */
function sizeOf(file: string): readonly [number, number] {
  const bytes = readFileSync(file)
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

describeInBrowser('pictures in docs', () => {
  it('match the screenshots of the current page', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
    try {
      execFileSync('node', [SCRIPT, folder], { stdio: 'pipe' })
      expect(readdirSync(folder).sort()).toEqual(readdirSync(PICTURES).sort())
      for (const name of readdirSync(folder)) {
        // Fonts differ between machines; the width does not.
        expect(sizeOf(join(folder, name))[0], name).toBe(sizeOf(join(PICTURES, name))[0])
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('are referenced by the README', () => {
    const shown = [...readFileSync(README, 'utf8').matchAll(/\]\(docs\/playground\/([\w-]+\.png)\)/g)].map(
      ([, name]) => name,
    )
    expect(shown).toContain('first.png')
    for (const name of shown) expect(readdirSync(PICTURES)).toContain(name)
  })
})
