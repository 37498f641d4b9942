// Writes the types of the documents of `-o json` into the package of the command, after `tsc -b`. Runs before packing.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleDocuments } from './packages/bundle-documents.mjs'
import { root } from './packages/root.mjs'

const folder = join(root, 'packages/cli/lib')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'documents.d.ts'), await bundleDocuments())
writeFileSync(join(folder, 'documents.js'), '// Only types, for `import type`.\nexport {}\n')
