import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { printStories } from '../stories/print-stories.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

it('docs/stories.md is made of the stories; pnpm stories writes it', () => {
  expect(readFileSync(pathOf('docs/stories.md'), 'utf8')).toBe(printStories(pathOf('fixtures/stories')))
})
