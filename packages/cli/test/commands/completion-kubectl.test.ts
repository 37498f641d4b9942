import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from '../support/run.js'
import { SHELLS } from '../support/shells.js'

const directory = mkdtempSync(join(tmpdir(), 'complete-'))
afterAll(() => rmSync(directory, { recursive: true }))

const KUBECTL = `#!/bin/sh
case $2 in
  nodes) printf 'node-1\\nnode-2\\nmaster\\n' ;;
  namespaces) printf 'default\\nshop\\n' ;;
  services) printf 'default/web\\nshop/api\\n' ;;
esac
`
writeFileSync(join(directory, 'kubectl'), KUBECTL, { mode: 0o755 })

const { stdout: script } = await run(['completion', 'kubectl'])
const file = join(directory, 'kubectl_complete-kube_rules')
writeFileSync(file, script, { mode: 0o755 })

/** Completes the last word in every shell. */
function complete(...words: readonly string[]): readonly string[] {
  const [first, ...others] = SHELLS.map(([shell, ...args]) => {
    const { stdout } = spawnSync(shell, [...args, file, ...words], { encoding: 'utf8', env: { PATH: directory } })
    return stdout.trim().split('\n')
  })
  for (const other of others) expect(other).toEqual(first)
  expect(first?.at(-1)).toBe(':4')
  return (first ?? []).slice(0, -1)
}

describe('completion kubectl', () => {
  it.each([
    [['do'], ['doctor']],
    [
      ['explain', ''],
      ['default/web', 'shop/api'],
    ],
    [['doctor', '--live', 's'], ['shop/api']],
    [
      ['verify', '--live', 'node'],
      ['node-1', 'node-2'],
    ],
    [['doctor', '--node', 'm'], ['master']],
    [
      ['doctor', '-n', ''],
      ['default', 'shop'],
    ],
    [['verify', '--li'], ['--live']],
    [['verify', ''], []],
  ])('completes %j to %j', (words, candidates) => {
    expect(complete(...words)).toEqual(candidates)
  })
})
