import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { findMutants, isValid } from './find-mutants.mjs'

/** Parses `FOLDER`, `FILE` or `FILE:LINE`, as a path of the repository. */
export function placeOf(text, root) {
  const [path, line] = text.split(':')
  return { path: relative(root, resolve(path)), ...(line !== undefined && { line: Number(line) }) }
}

/** Returns every TypeScript file in a folder of the repository, or the file itself. */
export function sourcesIn(path, root) {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => join(path, file))
    .sort()
}

/** Returns all mutants of a file, in text order, each with the file and its unchanged source. */
export function mutantsIn(file, root) {
  const source = readFileSync(join(root, file), 'utf8')
  return findMutants(source).map((mutant) => ({ file, source, ...mutant }))
}

/** Reports whether a mutant is at one of the places. */
export function isAt({ file, line }, places) {
  return places.some((place) => place.line === undefined || (place.path === file && place.line === line))
}

/** Returns the first valid mutants. */
export function takeValid(mutants, count) {
  const taken = []
  for (const mutant of mutants) {
    if (taken.length === count) break
    if (isValid(mutant)) taken.push(mutant)
  }
  return taken
}
