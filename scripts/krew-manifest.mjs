// Packs the command as a plugin of kubectl for krew: `pnpm krew [FOLDER]` writes kube-rules.tar.gz and its manifest
// kube-rules.yaml. The manifest is for https://github.com/kubernetes-sigs/krew-index.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCommand } from './packages/bundle-command.mjs'
import { root } from './packages/root.mjs'

const FILES = ['kube-rules.mjs', 'LICENSE']

const [folder = join(root, 'build')] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const archive = join(folder, 'kube-rules.tar.gz')
pack(archive, await bundleCommand())
writeFileSync(
  join(folder, 'kube-rules.yaml'),
  manifestOf(createHash('sha256').update(readFileSync(archive)).digest('hex')),
)
console.log(join(folder, 'kube-rules.yaml'))

/** Writes the same bytes for the same files. */
function pack(file, command) {
  const content = mkdtempSync(join(tmpdir(), 'krew-'))
  writeFileSync(join(content, 'kube-rules.mjs'), command, { mode: 0o755 })
  copyFileSync(join(root, 'LICENSE'), join(content, 'LICENSE'))
  const options = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u+rw,go+r,go-w']
  const args = [...options, '--use-compress-program=gzip -n', '-cf', file, '-C', content, ...FILES]
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' })
  rmSync(content, { recursive: true })
  if (status !== 0) throw new Error(`tar: ${stderr}`)
}

function manifestOf(sha256) {
  const { version, repository } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
  const home = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
  const files = FILES.map((name) => `        - from: ${name}\n          to: .\n`).join('')
  return `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: kube-rules
spec:
  version: v${version}
  homepage: ${home}
  shortDescription: Find out why a Service does not work on a node
  description: |
    Compares the rules of kube-proxy on the nodes with the Services of the cluster, traces packets through
    them, and prints the causes of packets that do not arrive, with the steps that fix them. Only reads,
    except for a debugging Pod that you confirm.
  caveats: |
    Requires Node.js 20.19 or newer. For completions:
      kubectl kube-rules completion kubectl > DIRECTORY_OF_PATH/kubectl_complete-kube_rules
      chmod +x DIRECTORY_OF_PATH/kubectl_complete-kube_rules
  platforms:
    - selector:
        matchExpressions:
          - { key: os, operator: In, values: [darwin, linux] }
      uri: ${home}/releases/download/v${version}/kube-rules.tar.gz
      sha256: ${sha256}
      bin: kube-rules.mjs
      files:
${files}`
}
