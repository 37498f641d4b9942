// Checks packages/*/src against the import rules (imports/layers.mjs), and that no files import each other in a circle
// (imports/circles.mjs). Prints every violation; exit code 1 if any.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkFile } from './imports/check-file.mjs'
import { checkCircles } from './imports/circles.mjs'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

const sources = sourceFiles().map(({ file, path }) => ({
  file,
  path,
  text: readFileSync(join(packages, file), 'utf8'),
}))
const violations = [
  ...sources.flatMap(({ file, path, text }) =>
    checkFile(path, text).map(({ line, message }) => `packages/${file}:${line}: ${message}`),
  ),
  ...checkCircles(new Map(sources.map(({ path, text }) => [path, text]))),
]
for (const violation of violations) console.error(violation)
console.log(violations.length === 0 ? 'imports: all rules hold' : `imports: ${violations.length} violations`)
process.exitCode = violations.length === 0 ? 0 : 1

/** Returns every TypeScript file below packages/<name>/src, sorted: `file` below packages, `path` without `src`. */
function sourceFiles() {
  return readdirSync(packages)
    .flatMap((name) => filesBelow(join(name, 'src')))
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => ({ file, path: file.replace('/src/', '/') }))
}

function filesBelow(folder) {
  return readdirSync(join(packages, folder), { recursive: true }).map((file) => `${folder}/${file}`)
}
