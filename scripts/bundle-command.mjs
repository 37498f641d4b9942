// Writes build/kube-rules.mjs: the command in one file, which Node runs with nothing installed. Run it as `pnpm bundle`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommand } from './packages/bundle-command.mjs'
import { root } from './packages/root.mjs'

const file = join(root, 'build/kube-rules.mjs')
mkdirSync(join(root, 'build'), { recursive: true })
writeFileSync(file, await bundleCommand(), { mode: 0o755 })
console.log(file)
