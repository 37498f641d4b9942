import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { printCases } from '../troubleshooting/print-cases.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

it('docs/troubleshooting/cases.md equals the output of `pnpm troubleshooting`', () => {
  expect(readFileSync(pathOf('docs/troubleshooting/cases.md'), 'utf8')).toBe(
    printCases(pathOf('fixtures/troubleshooting')),
  )
})

it('docs/troubleshooting/cases.md lists every case by its symptoms', () => {
  const text = readFileSync(pathOf('docs/troubleshooting/cases.md'), 'utf8')
  const titles = Array.from(text.matchAll(/^## (.*)$/gm), ([, title]) => title)
  expect(titles).not.toEqual([])
  for (const title of titles) expect(text).toContain(`\n  - [${title}](#`)
})
