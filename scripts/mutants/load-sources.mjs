import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Loads exports of the sources as a new instance of all their modules. `exports` is the text of a module in the folder
 * `from`; `mutant` replaces one file. Returns the `module`, and `importers`: the files that import each file.
 */
export async function loadSources({ root, from, exports, mutant }) {
  const entry = join(root, from, 'mutated-entry.ts')
  const importers = new Map()
  const sources = {
    name: 'sources',
    resolveId: (id) => (id === entry ? id : undefined),
    load: (id) => {
      if (id === entry) return exports
      return mutant !== undefined && id === join(root, mutant.file) ? mutant.text : undefined
    },
    buildEnd() {
      for (const id of this.getModuleIds()) importers.set(id, this.getModuleInfo(id)?.importers ?? [])
    },
  }
  const bundle = await rolldown({
    ...{ input: entry, cwd: root, platform: 'node', treeshake: false, logLevel: 'silent', plugins: [sources] },
    resolve: { conditionNames: ['@kube-rules/source', 'import', 'node', 'default'] },
  })
  try {
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
    const text = Buffer.from(output[0].code).toString('base64')
    return { module: await import(`data:text/javascript;base64,${text}`), importers }
  } finally {
    await bundle.close()
  }
}
