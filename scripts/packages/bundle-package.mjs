import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundleDeclarations } from './declarations.mjs'
import { INTERNAL, internalModules, isExternal } from './internal-modules.mjs'
import { internalNamesOf } from './internal-names.mjs'
import { pureConstants } from './pure-constants.mjs'
import { root } from './root.mjs'

/**
 * Bundles a package for its publication. Writes to `lib` a file for each entry point, and files with the modules that
 * several entry points share. Each has its declarations and a source map with the sources. The internal modules that
 * other packages import become the entry point `./internal`.
 */
export async function bundlePackage(folder) {
  const place = join(root, 'packages', folder)
  const { exports, imports = {} } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  const internal = internalNamesOf(folder).size > 0 ? { internal: INTERNAL } : {}
  const entries = { ...sourcesOf(place, Object.values(exports)), ...internal }
  const replaced = sourcesOf(place, Object.values(imports).flatMap(alternativesOf))
  const files = [
    ...(await bundleCode({ folder, place, input: { ...entries, ...replaced } })),
    ...(await bundleDeclarations({ folder, place, input: entries })),
  ]
  const output = join(place, 'lib')
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output)
  for (const [file, text] of files) writeFileSync(join(output, file), text)
}

/** Returns the targets of a name in `imports`, such as one for Node.js and one for browsers. */
function alternativesOf(target) {
  return Object.values(target[SOURCE]).map((source) => ({ [SOURCE]: source }))
}

/** Returns the source modules of targets in `exports` or `imports`, by their names in `lib`. */
function sourcesOf(place, targets) {
  const sources = targets
    .map((target) => target[SOURCE])
    .filter((source) => source !== undefined && !source.includes('*'))
  return Object.fromEntries(sources.map((source) => [outputNameOf(source), join(place, source)]))
}

const SOURCE = '@kube-rules/source'

function outputNameOf(source) {
  const [, path] = source.match(/^\.\/src\/(.*)\.ts$/)
  return path.replace(/^(entries|internal)\//, '').replace(/\/index$/, '')
}

async function bundleCode({ folder, place, input }) {
  const build = await rolldown({
    input,
    platform: 'neutral',
    external: isExternal,
    plugins: [
      internalModules({ folder, valuesOnly: true, locate: (path) => join(place, 'src', `${path}.ts`) }),
      pureConstants(),
    ],
    transform: { target: 'es2022' },
  })
  const { output } = await build.generate({
    format: 'esm',
    sourcemap: true,
    comments: { legal: true, annotation: true, jsdoc: false },
    minifyInternalExports: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared-[name].js',
  })
  return output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source])
}
