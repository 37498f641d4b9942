import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blankComments, findSpecifiers } from '../imports/specifiers.mjs'

/** Excludes kernel and browser tests, which are slow and need tools that not every machine has. */
const isTest = (file) => /(?<!\.browser)\.test\.ts$/.test(file) && !file.includes('/test/kernel/')

/**
 * Lists every test below packages/: its `file`, `imports` (the import distance of each source that it uses) and whether
 * it is `generated`.
 */
export function readTests(root) {
  const files = readdirSync(join(root, 'packages'))
    .flatMap((name) => ['src', 'test'].map((folder) => `packages/${name}/${folder}`))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const entryPoints = entryPointsOf(root)
  const imports = new Map([...texts].map(([file, text]) => [file, importsOf(file, text, entryPoints)]))
  return files.filter(isTest).map((file) => ({
    file,
    imports: distances(file, imports),
    generated: texts.get(file).includes("'fast-check'"),
  }))
}

/** Returns the test that mirrors a source by its path. */
export function mirrorOf(file) {
  return file.replace('/src/', '/test/').replace(/\.ts$/, '.test.ts')
}

/**
 * Maps the exports and `#` imports of packages to sources: `@kube-rules/compiler/plan` →
 * `packages/compiler/src/entries/plan.ts`.
 */
function entryPointsOf(root) {
  const points = readdirSync(join(root, 'packages')).flatMap((folder) => {
    const {
      name,
      exports = {},
      imports = {},
    } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
    const sourceOf = (conditions) => join('packages', folder, sourceAmong(conditions) ?? '')
    return [
      ...Object.entries(exports).map(([path, conditions]) => [join(name, path), sourceOf(conditions)]),
      ...Object.entries(imports).map(([path, conditions]) => [path, sourceOf(conditions)]),
    ]
  })
  return new Map(points)
}

/** Returns the first source in conditions, which can be nested. */
function sourceAmong(conditions) {
  if (typeof conditions === 'string') return conditions.includes('/src/') ? conditions : undefined
  return Object.values(conditions ?? {})
    .map(sourceAmong)
    .find((source) => source !== undefined)
}

/** The prefix of imports of internal files of the compiler in the analyzer. */
const INSIDE = '@kube-rules/compiler/internal/'

function importsOf(file, text, entryPoints) {
  return findSpecifiers(blankComments(text)).flatMap(({ specifier }) => {
    if (specifier.startsWith('.')) return [join(dirname(file), specifier).replace(/\.js$/, '.ts')]
    if (specifier.startsWith(INSIDE)) return [`packages/compiler/src/${specifier.slice(INSIDE.length)}.ts`]
    return entryPoints.get(specifier) ?? []
  })
}

function distances(start, imports) {
  const found = new Map([[start, 0]])
  for (const [file, distance] of found) {
    for (const next of imports.get(file) ?? []) if (!found.has(next)) found.set(next, distance + 1)
  }
  return found
}
