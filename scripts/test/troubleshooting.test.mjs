import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { printCases } from '../troubleshooting/print-cases.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

it('docs/troubleshooting/cases.md is generated from the cases by pnpm troubleshooting', () => {
  expect(readFileSync(pathOf('docs/troubleshooting/cases.md'), 'utf8')).toBe(
    printCases(pathOf('fixtures/troubleshooting')),
  )
})
