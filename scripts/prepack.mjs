// Runs in the folder of a package before packing: builds it, and adds the license and the notice.
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-b'], { cwd: root, stdio: 'inherit' })
for (const file of ['LICENSE', 'NOTICE']) copyFileSync(join(root, file), file)
