import { join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { root } from './root.mjs'

/** `ModuleResolutionKind.NodeNext` of the compiler. */
const NODE_NEXT = 99

/**
 * Returns the declarations of the documents that the command prints with `-o json`. They contain all types that they
 * need, because the package of the command has no dependencies.
 */
export async function bundleDocuments() {
  const build = await rollup({
    input: join(root, 'packages/application/dist/documents.d.ts'),
    external: (specifier) => /^[a-z@]/.test(specifier) && !specifier.startsWith('@kube-rules/'),
    plugins: [dts({ respectExternal: true, compilerOptions: { moduleResolution: NODE_NEXT } })],
  })
  const { output } = await build.generate({ format: 'esm' })
  await build.close()
  return output[0].code
}
