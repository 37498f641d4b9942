import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { toColumns } from '../src/question/gallery-columns.js'
import { pickChangedFields } from '../src/question/playground-request.js'
import { examplesOf, type Files } from './examples.js'

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))

/**
 * Provides the module `virtual:gallery`: the fixtures and the cases of this repository, as the columns of the page's
 * examples. Fields with default values are omitted.
 */
export function gallery(): Plugin {
  return {
    name: 'gallery',
    resolveId: (id) => (id === 'virtual:gallery' ? '\0gallery' : undefined),
    load: (id) => (id === '\0gallery' ? `export const COLUMNS = ${JSON.stringify(toColumns(readRows()))}` : undefined),
  }
}

/** Returns the fields of each example and of its question in one object. */
function readRows(): readonly object[] {
  return readExamples().map(({ question, ...example }) => ({ ...example, ...pickChangedFields(question) }))
}

/** Reads the examples, also for tests that compare the page with the output of the command. */
export function readExamples(): ReturnType<typeof examplesOf> {
  const fixtures = foldersIn(FIXTURES).filter((name) => existsSync(join(FIXTURES, name, 'cluster.yaml')))
  const cases = foldersIn(join(FIXTURES, 'troubleshooting'))
  return examplesOf({
    fixtures: fixtures.map((name) => ({ name, files: filesIn(join(FIXTURES, name)) })),
    cases: cases.map((name) => ({ name, files: filesIn(join(FIXTURES, 'troubleshooting', name)) })),
    descriptions: readFileSync(join(FIXTURES, 'README.md'), 'utf8'),
  })
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Returns the input files; the expected text of fixtures is not needed. */
function filesIn(folder: string): Files {
  const names = readdirSync(folder).filter((name) => /\.(?:yaml|dump|md|txt)$|^question$/.test(name))
  return Object.fromEntries(
    names
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
}
