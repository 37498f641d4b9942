import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { printCases } from '../troubleshooting/print-cases.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

it('docs/troubleshooting.md is made of the cases; pnpm cases writes it', () => {
  expect(readFileSync(pathOf('docs/troubleshooting.md'), 'utf8')).toBe(printCases(pathOf('fixtures/troubleshooting')))
})
