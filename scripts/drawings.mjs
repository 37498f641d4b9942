#!/usr/bin/env node
// Writes the drawings of docs/drawings.
import { writeFileSync } from 'node:fs'
import { DRAWINGS } from './drawings/drawings.mjs'
import { printDrawing } from './drawings/svg.mjs'

for (const [name, drawing] of Object.entries(DRAWINGS)) {
  writeFileSync(new URL(`../docs/drawings/${name}`, import.meta.url), printDrawing(drawing))
}
