import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseYaml } from '../../packages/application/src/cluster/parse-yaml.js'
import { root } from '../packages/root.mjs'

const folder = mkdtempSync(join(tmpdir(), 'krew-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = (tool, ...args) => execFileSync(tool, args, { encoding: 'utf8' })
const pack = () => run(process.execPath, join(root, 'scripts/krew-manifest.mjs'), folder)

describe.skipIf(process.platform !== 'linux')('pnpm krew', () => {
  it('writes a manifest that fits the packed command', () => {
    pack()
    const archive = join(folder, 'kube-rules.tar.gz')
    const [{ apiVersion, kind, metadata, spec }] = parseYaml(readFileSync(join(folder, 'kube-rules.yaml'), 'utf8'))
    const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
    expect([apiVersion, kind, metadata.name]).toEqual([
      'krew.googlecontainertools.github.com/v1alpha2',
      'Plugin',
      'kube-rules',
    ])
    const [{ selector, uri, sha256, bin, files }, ...others] = spec.platforms
    expect(others).toEqual([])
    expect(selector.matchExpressions).toEqual([{ key: 'os', operator: 'In', values: ['darwin', 'linux'] }])
    expect(spec.version).toBe(`v${version}`)
    expect(spec.shortDescription.length).toBeLessThanOrEqual(50)
    expect(uri).toBe(`${spec.homepage}/releases/download/v${version}/kube-rules.tar.gz`)
    expect(sha256).toBe(createHash('sha256').update(readFileSync(archive)).digest('hex'))
    expect(run('tar', '-tzf', archive).trim().split('\n')).toEqual(files.map(({ from }) => from))
    // krew extracts the files, and links `bin` under the name of the plugin.
    run('tar', '-xzf', archive, '-C', folder)
    const plugin = join(folder, 'kubectl-kube_rules')
    symlinkSync(join(folder, bin), plugin)
    expect(run(plugin, '--version')).toContain(version)
  })

  it('writes the same archive again', () => {
    const before = readFileSync(join(folder, 'kube-rules.yaml'), 'utf8')
    pack()
    expect(readFileSync(join(folder, 'kube-rules.yaml'), 'utf8')).toBe(before)
  })

  it('is part of a release', () => {
    const workflow = readFileSync(join(root, '.github/workflows/release.yaml'), 'utf8')
    expect(workflow).toContain('pnpm@10.34.9 krew\n')
    expect(workflow).toMatch(/gh release create .* build\/kube-rules.tar.gz build\/kube-rules.yaml /)
  })
})
