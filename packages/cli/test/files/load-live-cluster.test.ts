import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ToolOutput } from '../../src/cli-context.js'
import { createProcessContext } from '../../src/process-context.js'
import { startKubernetesApi } from '../support/kubernetes-api.js'
import { lists, PATHS } from '../support/live-cluster.js'
import { run } from '../support/run.js'

/** A fake kubectl. Objects whose name is in `forbidden` cannot be read. */
function fakeKubectl(forbidden: readonly string[] = [], calls: string[] = []) {
  return async (tool: string, args: readonly string[]): Promise<ToolOutput> => {
    calls.push([tool, ...args].join(' '))
    const [word, path] = PATHS.find(([word]) => args.includes(word)) ?? ['', '/api/v1/nodes']
    if (!forbidden.includes(word)) return { exitCode: 0, stdout: JSON.stringify(lists[path]), stderr: '' }
    return { exitCode: 1, stdout: '', stderr: `Error from server (Forbidden): ${word} is forbidden\n` }
  }
}

describe('--cluster', () => {
  it('reads the objects and the configuration with kubectl', async () => {
    const calls: string[] = []
    const args = ['explain', 'default/web', '--from', 'pod', '--context', 'test', '--kubeconfig', 'k.yaml']
    const { exitCode, stdout, stderr } = await run(args, { runTool: fakeKubectl([], calls) })
    expect(stdout).toContain('=> 10.1.0.1:8080\n')
    expect(stderr).toContain('note: configuration of kube-proxy: ConfigMap kube-proxy\n')
    expect(exitCode).toBe(0)
    expect(calls[0]).toBe('kubectl --kubeconfig k.yaml --context test get services -A -o json')
    expect(calls.join('\n')).not.toMatch(/secret/i)
  })

  it.each(['print', 'prove'])('replaces -f of %s', async (name) => {
    expect(await run([name, '--cluster'], { runTool: fakeKubectl() })).toMatchObject({ exitCode: 0 })
  })

  it('reports each kind of objects that cannot be read, with the command', async () => {
    const { exitCode, stdout, stderr } = await run(['print', '--cluster'], {
      runTool: fakeKubectl(['services', 'nodes']),
    })
    const why = 'Error from server (Forbidden):'
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        `Services: ${why} services is forbidden (kubectl get services -A -o json, exit code 1)\n` +
        `Nodes: ${why} nodes is forbidden (kubectl get nodes -o json, exit code 1)\n` +
        'error: the cluster cannot be read\n',
    })
  })

  it('continues without optional objects, and notes them', async () => {
    const { exitCode, stderr } = await run(['print', '--cluster', '--mode', 'iptables'], {
      runTool: fakeKubectl(['servicecidrs.networking.k8s.io', 'kube-proxy']),
    })
    expect(exitCode).toBe(0)
    expect(stderr).toContain('note: ServiceCIDRs were not read: Error from server (Forbidden): ')
    expect(stderr).toContain('note: no configuration of kube-proxy was found in the cluster; --config passes one\n')
  })

  it('reports a missing kubectl, output that is not JSON, and a combination with -f', async () => {
    expect(await run(['print', '--cluster'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: kubectl: not installed, or not on PATH\n',
    })
    const broken = await run(['print', '--cluster'], {
      runTool: async () => ({ exitCode: 0, stdout: 'NAME', stderr: '' }),
    })
    expect(broken.stderr).toContain('Nodes: the output is not JSON (kubectl get nodes -o json)\n')
    const both = await run(['print', '--cluster', '-f', 'a.yaml'])
    expect(both.stderr).toContain('error: option -f cannot be combined with a live cluster\n')
  })
})

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
const directory = mkdtempSync(join(tmpdir(), 'live-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe.skipIf(!hasKubectl)('--kubeconfig with the real kubectl (skipped if kubectl is not installed)', () => {
  const { runTool } = createProcessContext()

  async function runAgainst(api: Awaited<ReturnType<typeof startKubernetesApi>>, args: readonly string[]) {
    const file = join(directory, 'config')
    const cluster = { name: 'c', cluster: { server: api.url } }
    const contexts = [{ name: 'test', context: { cluster: 'c', user: 'u' } }]
    const users = [{ name: 'u', user: {} }]
    writeFileSync(file, JSON.stringify({ kind: 'Config', apiVersion: 'v1', clusters: [cluster], contexts, users }))
    try {
      return await run([...args, '--kubeconfig', file, '--context', 'test'], { runTool })
    } finally {
      api.close()
    }
  }

  it('reads a cluster with get requests only', async () => {
    const api = await startKubernetesApi(lists)
    const { exitCode, stdout, stderr } = await runAgainst(api, ['explain', 'default/web', '--from', 'pod'])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(stdout).toContain('=> 10.1.0.1:8080\n')
    // Some builds of kubectl also ask for the version of the server.
    const requests = new Set(api.requests.filter((request) => request !== 'GET /version'))
    expect([...requests].sort()).toEqual(
      Object.keys(lists)
        .map((path) => `GET ${path}`)
        .sort(),
    )
  })

  it('reports forbidden objects', async () => {
    const { '/api/v1/services': _, ...others } = lists
    const { exitCode, stderr } = await runAgainst(await startKubernetesApi(others), ['print'])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^Services: Error from server \(Forbidden\): .*services.*forbidden.*exit code 1\)$/m)
  })
})
