import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { decodeDeclarations, encodeDeclarations } from './declaration-code.mjs'
import { INTERNAL, internalModules, isExternal } from './internal-modules.mjs'

/**
 * Bundles the declarations of a package, which `tsc` has written to `dist`. The bundler knows no types: each
 * declaration becomes a constant that refers to other constants, and is written back after bundling. So the bundler
 * finds the declarations that are used, and renames those with the same name.
 */
export async function bundleDeclarations({ place, input, names }) {
  const declarationOf = (source) => source.replace(join(place, 'src'), join(place, 'dist')).replace(/\.ts$/, '.d.ts')
  const entries = Object.entries(input).map(([name, source]) => [
    name,
    source === INTERNAL ? source : declarationOf(source),
  ])
  const locate = (path) => join(place, 'dist', `${path}.d.ts`)
  const texts = []
  const build = await rolldown({
    input: Object.fromEntries(entries),
    platform: 'neutral',
    external: isExternal,
    plugins: [internalModules({ names, valuesOnly: false, locate }), declarationModules(texts)],
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => `types-${name.replace(/\.d$/, '')}.js`,
    minifyInternalExports: false,
  })
  return output.map(({ fileName, code }) => {
    const source = entries.find(([name]) => `${name}.js` === fileName)?.[1]
    const text = decodeDeclarations(code, texts) + (source === undefined ? '' : namedEntriesOf(source, entries))
    return [fileName.replace(/\.js$/, '.d.ts'), text]
  })
}

/** Provides the modules of declaration files, encoded as JavaScript. */
export function declarationModules(texts) {
  return {
    name: 'declaration-modules',
    resolveId(specifier, importer) {
      if (importer === undefined || !specifier.startsWith('.')) return undefined
      return join(dirname(importer), specifier.replace(/\.js$/, '.d.ts'))
    },
    load(id) {
      if (!id.endsWith('.d.ts')) return undefined
      return { code: encodeDeclarations(id, readFileSync(id, 'utf8'), texts), moduleType: 'js' }
    },
  }
}

/**
 * Returns the imports without names of an entry point (`export type {} from`). They make the declarations of a consumer
 * name types by these entry points.
 */
function namedEntriesOf(source, entries) {
  if (source === INTERNAL) return ''
  const imports = readFileSync(source, 'utf8').matchAll(/^export type \{\} from '(.*)\.js';?$/gm)
  return Array.from(imports, ([, path]) => {
    const target = `${join(dirname(source), path)}.d.ts`
    const [name] = entries.find(([, each]) => each === target) ?? []
    if (name === undefined) throw new Error(`${basename(source)} imports ${path}, which is no entry point`)
    return `export type {} from './${name}.js';\n`
  }).join('')
}
