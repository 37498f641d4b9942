// Writes the command as one file that Node.js runs without installation. Run it as `pnpm bundle [FILE]`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleCommand } from './packages/bundle-command.mjs'
import { root } from './packages/root.mjs'

const [file = join(root, 'build/kube-rules.mjs')] = process.argv.slice(2)
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, await bundleCommand(), { mode: 0o755 })
console.log(file)
