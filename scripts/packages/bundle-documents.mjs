import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { decodeDeclarations } from './declaration-code.mjs'
import { declarationModules } from './declarations.mjs'
import { root } from './root.mjs'

/**
 * Returns the declarations of the documents that the command prints with `-o json`. They contain all types that they
 * need, because the package of the command has no dependencies.
 */
export async function bundleDocuments() {
  const texts = []
  const build = await rolldown({
    input: join(root, 'packages/application/dist/documents.d.ts'),
    platform: 'neutral',
    external: (specifier) => /^[a-z@]/.test(specifier) && !specifier.startsWith('@kube-rules/'),
    treeshake: { moduleSideEffects: false },
    plugins: [{ name: 'workspace', resolveId: declarationFileOf }, declarationModules(texts)],
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  return decodeDeclarations(output[0].code, texts)
}

/** Returns the declaration file of a module of the workspace, such as `@kube-rules/analyzer/explain`. */
function declarationFileOf(specifier) {
  const [, folder, path] = specifier.match(/^@kube-rules\/([a-z-]+)(?:\/(.*))?$/) ?? []
  if (folder === undefined) return undefined
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  const internal = path?.match(/^internal\/(.*)$/)?.[1]
  const { types } = exports[internal === undefined ? ['.', path].filter(Boolean).join('/') : './internal/*']
  return join(root, 'packages', folder, types.replace('*', internal))
}
