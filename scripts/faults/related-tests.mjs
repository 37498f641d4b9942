import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blankComments, findSpecifiers } from '../imports/specifiers.mjs'

const ENTRY_POINTS = {
  '@kube-rules/compiler': 'packages/compiler/src/index.ts',
  '@kube-rules/compiler/tables': 'packages/compiler/src/entries/tables.ts',
  '@kube-rules/compiler/plan': 'packages/compiler/src/entries/plan.ts',
  '@kube-rules/compiler/iptables': 'packages/compiler/src/entries/iptables.ts',
  '@kube-rules/compiler/ipset': 'packages/compiler/src/entries/ipset.ts',
  '@kube-rules/compiler/ipvs': 'packages/compiler/src/entries/ipvs.ts',
  '@kube-rules/compiler/conntrack': 'packages/compiler/src/entries/conntrack.ts',
  '@kube-rules/compiler/diff': 'packages/compiler/src/entries/diff.ts',
  '@kube-rules/compiler/explain': 'packages/compiler/src/entries/explain.ts',
  '@kube-rules/compiler/verify': 'packages/compiler/src/entries/verify.ts',
  '@kube-rules/types': 'packages/types/src/index.ts',
  '@kube-rules/types/schema': 'packages/types/src/schema/index.ts',
  '#sha256': 'packages/compiler/src/internal/sha256-node.ts',
}

/** Tests of the kernel and in a browser need tools that not every machine has, and long. */
const isTest = (file) => /(?<!\.browser)\.test\.ts$/.test(file) && !file.includes('/test/kernel/')

/** Every test below packages/: its `file`, `imports` (each source it uses: how many imports away) and whether it is `generated`. */
export function readTests(root) {
  const files = readdirSync(join(root, 'packages'))
    .flatMap((name) => ['src', 'test'].map((folder) => `packages/${name}/${folder}`))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const imports = new Map([...texts].map(([file, text]) => [file, importsOf(file, text)]))
  return files.filter(isTest).map((file) => ({
    file,
    imports: distances(file, imports),
    generated: texts.get(file).includes("'fast-check'"),
  }))
}

/** The test that mirrors a source by its path. */
export function mirrorOf(file) {
  return file.replace('/src/', '/test/').replace(/\.ts$/, '.test.ts')
}

function importsOf(file, text) {
  return findSpecifiers(blankComments(text)).flatMap(({ specifier }) => {
    if (specifier.startsWith('.')) return [join(dirname(file), specifier).replace(/\.js$/, '.ts')]
    return ENTRY_POINTS[specifier] ?? []
  })
}

function distances(start, imports) {
  const found = new Map([[start, 0]])
  for (const [file, distance] of found) {
    for (const next of imports.get(file) ?? []) if (!found.has(next)) found.set(next, distance + 1)
  }
  return found
}
