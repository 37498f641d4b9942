#!/usr/bin/env node
// Writes docs/stories.md from the stories in fixtures/stories.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printStories } from './stories/print-stories.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

writeFileSync(pathOf('docs/stories.md'), printStories(pathOf('fixtures/stories')))
