import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findInMessages, findInTitles } from './banned-words.mjs'
import { findDocstrings } from './docstrings.mjs'
import { findUnknownFunctions } from './function-names.mjs'
import { measureMarkers } from './markers.mjs'
import { commentsOf, paragraphsOf } from './prose.mjs'

const NOT_OURS =
  /(?:^|\/)(?:node_modules|dist|build|coverage|__golden__)(?:\/|$)|^docs\/reference\/api$|^docs\/troubleshooting\/cases$/
const IS_DOC =
  /^[A-Z]+\.md$|^docs\/.*\.md$|^packages\/[^/]+\/README\.md$|^examples\/.*\.md$|^fixtures\/(?:troubleshooting|reports)\/.*\.md$/
const IS_FOLDER_README = /^packages\/[^/]+\/src\/.*README\.md$/
const IS_SOURCE = /^packages\/[^/]+\/src\/.*\.ts$/
const IS_LIBRARY = /^packages\/(?:types|compiler|analyzer|proxy-kit)\/src\/.*\.ts$/
const HAS_MESSAGES = /^packages\/(?!playground\/)[^/]+\/src\/.*\.ts$/
const IS_TEST = /^packages\/[^/]+\/test\/.*\.ts$|^(?:scripts\/test|examples)\/.*\.test\.m?[jt]s$/

/**
 * Measures every surface of the repository: `{ value, findings }` by surface and name. Values of prose are markers per
 * 1,000 words, all others are counts.
 */
export function measureSurfaces(repository) {
  const paths = ['.', 'docs', 'packages', 'examples', 'fixtures', 'scripts']
    .flatMap((folder) => filesIn(repository, folder))
    .sort()
  const read = (path) => readFileSync(join(repository, path), 'utf8')
  const proseOf = (pattern, split) =>
    paths.filter((path) => pattern.test(path)).flatMap((path) => split(read(path)).map((text) => ({ path, ...text })))
  const count = (pattern, find) => {
    const findings = paths.filter((path) => pattern.test(path)).flatMap((path) => find(path, read(path)))
    return { value: findings.length, findings }
  }
  return {
    docs: measureMarkers(proseOf(IS_DOC, paragraphsOf)),
    folderReadmes: measureMarkers(proseOf(IS_FOLDER_README, paragraphsOf)),
    comments: measureMarkers(proseOf(IS_SOURCE, commentsOf)),
    docstrings: { notVerbFirst: count(IS_LIBRARY, findDocstrings) },
    messages: { bannedWords: count(HAS_MESSAGES, findInMessages) },
    testTitles: {
      bannedWords: count(IS_TEST, findInTitles),
      unknownFunctions: count(IS_TEST, findUnknownFunctions),
    },
  }
}

/** Returns the files of a folder without generated ones; for the root, only the files directly in it. */
function filesIn(repository, folder) {
  if (folder === '.') return readdirSync(repository)
  if (!existsSync(join(repository, folder))) return []
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (NOT_OURS.test(path)) return []
    return entry.isDirectory() ? filesIn(repository, path) : [path]
  })
}
