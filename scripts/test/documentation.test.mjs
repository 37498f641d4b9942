import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SECTIONS } from '../../docs/.vitepress/sections.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file.replaceAll('\\', '/')}`)
const documents = [
  ...pages,
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'fixtures/README.md',
  'examples/README.md',
]
const textOf = (file) => readFileSync(join(ROOT, file), 'utf8')

/** The anchors of a page, as the forge and the site make them of headings. */
function anchorsOf(file) {
  const headings = Array.from(
    textOf(file)
      .replace(/^```.*?^```/gms, '')
      .matchAll(/^#+ (.*)$/gm),
    ([, heading]) => heading,
  )
  return headings.map((heading) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function linksOf(file) {
  const text = textOf(file).replace(/^```.*?^```/gms, '')
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link).filter((link) => !/^[a-z]+:/.test(link))
}

describe('the documentation', () => {
  it('has every page in its navigation once', () => {
    const links = SECTIONS.flatMap((section) => section.pages.map(({ link }) => `docs${link}.md`))
    expect(links.sort()).toEqual(pages.filter((page) => page !== 'docs/index.md').sort())
  })

  it.each(documents)('has no dead link in %s', (document) => {
    const dead = linksOf(document).filter((link) => {
      const [path, anchor] = link.split('#')
      const file = path === '' ? document : normalize(join(dirname(document), path))
      if (!existsSync(join(ROOT, file))) return true
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor)
    })
    expect(dead).toEqual([])
  })

  it.each(pages)('has at most 1,500 words in %s, unless it is generated', (page) => {
    const isGenerated = ['docs/explanation/history.md', 'docs/troubleshooting/cases.md'].includes(page)
    const words = textOf(page).match(/\S*\w\S*/g)?.length ?? 0
    expect(isGenerated || words <= (LIMITS[page] ?? 1500), `${words} words`).toBe(true)
  })
})

/** Pages with another limit. */
const LIMITS = {
  'docs/reference/performance.md': 600,
  'docs/explanation/fidelity.md': 4200,
  'docs/how-to/run-as-proxy.md': 1700,
  'docs/how-to/update-a-node.md': 2000,
  'docs/reference/cli.md': 6000,
}
