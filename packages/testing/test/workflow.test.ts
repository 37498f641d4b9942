import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

// Runs the commands of the workflow in examples/vitest-matcher in a copy of the example, as a runner of GitHub does. The
// packages are those of the workspace, so `npm ci` is a stand-in.

const example = fileURLToPath(new URL('../../../examples/vitest-matcher', import.meta.url))
const page = fileURLToPath(new URL('../../../docs/how-to/test-manifests.md', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'workflow-'))
const isBuilt = existsSync(join(example, 'node_modules/@kube-rules/compiler/dist/index.js'))
const hasShell = process.platform === 'linux' && spawnSync('bash', ['-c', 'true']).status === 0
const readExample = (name: string) => readFileSync(join(example, name), 'utf8')

afterAll(() => rmSync(folder, { recursive: true }))

/** Returns a copy of the example without its other tests, and with changed manifests. */
function checkOut(change: (manifest: string) => string): string {
  const clone = mkdtempSync(join(folder, 'clone-'))
  for (const name of ['manifests', 'package.json', 'rules.test.mjs', '__snapshots__']) {
    cpSync(join(example, name), join(clone, name), { recursive: true })
  }
  symlinkSync(join(example, 'node_modules'), join(clone, 'node_modules'))
  const manifest = join(clone, 'manifests/web.yaml')
  writeFileSync(manifest, change(readFileSync(manifest, 'utf8')))
  return clone
}

/** Runs the commands of the workflow until one fails. */
function runWorkflow(cwd: string) {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const npm = join(process.execPath, '../npm')
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n[ "$1" = ci ] || exec ${npm} "$@"\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  const commands = Array.from(readExample('workflow.yaml').matchAll(/- run: (.*)/g), ([, command]) => command)
  expect(commands).toEqual(['npm ci --ignore-scripts', 'npm test'])
  const path = `${bin}:${process.env.PATH}`
  const env = { HOME: folder, PATH: path, CI: 'true', NO_COLOR: '1', npm_config_update_notifier: 'false' }
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', commands.join('\n')], {
    cwd,
    encoding: 'utf8',
    env,
  })
  return { status, output: stdout + stderr }
}

describe.skipIf(!hasShell || !isBuilt)('the workflow with snapshots (needs bash and a build)', () => {
  it('succeeds if the rules fit the snapshot', () => {
    expect(runWorkflow(checkOut((manifest) => manifest))).toMatchObject({ status: 0 })
  })

  it('fails with the changed rules, and keeps the snapshot', () => {
    const clone = checkOut((manifest) => manifest.replace('containerPort: 8080', 'containerPort: 9090'))
    const { status, output } = runWorkflow(clone)
    expect(status).toBe(1)
    expect(output).toMatch(/^- +-A KUBE-SEP-.* --to-destination [0-9.]+:8080$/m)
    expect(output).toMatch(/^\+ +-A KUBE-SEP-.* --to-destination [0-9.]+:9090$/m)
    const snapshot = '__snapshots__/rules.test.mjs.snap'
    expect(readFileSync(join(clone, snapshot), 'utf8')).toBe(readExample(snapshot))
  })

  it('fails if no snapshot is committed', () => {
    const clone = checkOut((manifest) => manifest)
    rmSync(join(clone, '__snapshots__'), { recursive: true })
    expect(runWorkflow(clone).status).toBe(1)
    expect(existsSync(join(clone, '__snapshots__'))).toBe(false)
  })

  it('fails with the problem of an invalid manifest', () => {
    const { status, output } = runWorkflow(checkOut((manifest) => manifest.replace('port: 80,', 'port: 80000,')))
    expect(status).toBe(1)
    expect(output).toContain('"path": "spec.ports[0].port"')
  })
})

describe('docs/how-to/test-manifests.md', () => {
  it.each(['manifests/web.yaml', 'rules.test.mjs', 'workflow.yaml'])('contains the file %s of the example', (name) => {
    expect(readFileSync(page, 'utf8')).toContain(`\n${readExample(name)}\`\`\`\n`)
  })
})
