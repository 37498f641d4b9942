import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { INTERNAL, internalModules, isExternal } from './internal-modules.mjs'

/** Bundles the declarations of a package, which `tsc` has written to `dist`. */
export async function bundleDeclarations({ folder, place, input }) {
  const declarationOf = (source) => source.replace(join(place, 'src'), join(place, 'dist')).replace(/\.ts$/, '.d.ts')
  const entries = Object.entries(input).map(([name, source]) => [name, declarationOf(source)])
  const build = await rollup({
    input: Object.fromEntries(entries),
    plugins: [
      internalModules({ folder, valuesOnly: false, locate: (path) => join(place, 'dist', `${path}.d.ts`) }),
      externalModules(),
      // Its last step would import types of shared files from other entry points, among them `./internal`.
      { ...dts({ respectExternal: true }), generateBundle: undefined },
    ],
  })
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `types-${name.replace(/\.d$/, '')}.d.ts`,
    minifyInternalExports: false,
    hoistTransitiveImports: false,
  })
  await build.close()
  return output.map(({ fileName, code, facadeModuleId }) => [fileName, code + namedEntriesOf(facadeModuleId, entries)])
}

/** Imports modules of other packages. An import without names, such as of `vitest`, is kept: it augments its types. */
function externalModules() {
  return {
    name: 'external-modules',
    resolveId: (id) =>
      isExternal(id) ? { id, external: true, moduleSideEffects: !id.startsWith('@kube-rules/') } : undefined,
  }
}

/**
 * Returns the imports without names of an entry point (`export type {} from`). They make the declarations of a consumer
 * name types by these entry points.
 */
function namedEntriesOf(source, entries) {
  if (source === null || source === INTERNAL) return ''
  const imports = readFileSync(source, 'utf8').matchAll(/^export type \{\} from '(.*)\.js';?$/gm)
  return Array.from(imports, ([, path]) => {
    const target = `${join(dirname(source), path)}.d.ts`
    const [name] = entries.find(([, each]) => each === target) ?? []
    if (name === undefined) throw new Error(`${basename(source)} imports ${path}, which is no entry point`)
    return `export type {} from './${name}.js';\n`
  }).join('')
}
