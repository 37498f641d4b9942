import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../fixtures/matrix/', import.meta.url))

function run(clusters, ...command) {
  const args = [`${FOLDER}run.mjs`, '--mode', 'iptables', '--clusters', clusters.join(','), '--', ...command]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout }
}

const hasPython = spawnSync('python3', ['--version']).status === 0

describe('the runner of fixtures/matrix', () => {
  const clusters = ['cluster-ip', 'many-endpoints', 'udp', 'two-ports', 'unnamed-port', 'not-ready', 'several-slices']

  it('accepts another implementation if it prints the same rules', (context) => {
    if (!hasPython) context.skip('python3 is missing')
    expect(run(clusters, 'python3', `${FOLDER}toy.py`)).toEqual({
      status: 0,
      stdout: '7 of 7 files of rules are equal\n',
    })
  })

  it('reports each file with different rules', (context) => {
    if (!hasPython) context.skip('python3 is missing')
    const { status, stdout } = run(['cluster-ip', 'node-port'], 'python3', `${FOLDER}toy.py`)
    expect(status).toBe(1)
    expect(stdout).toMatch(/^different: node-port\/iptables\.ipv4\.\S+\.restore\n1 of 2 files of rules are equal\n$/)
  })

  it('reports a command that fails', () => {
    const { status, stdout } = run(['cluster-ip'], process.execPath, '-e', 'console.error("no"); process.exit(3)')
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^different: cluster-ip\/iptables\.ipv4\.\S+\.restore: no\n\n0 of 1 files/),
    })
  })
})
