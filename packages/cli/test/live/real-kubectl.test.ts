import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSources } from '@kube-rules/application/cluster'
import { afterAll, describe, expect, it } from 'vitest'
import type { ToolOutput } from '../../src/cli-context.js'
import { createProcessContext } from '../../src/process-context.js'
import type { ExecHandler } from '../support/exec-server.js'
import { type ApiOptions, type ApiRequest, startKubernetesApi } from '../support/kubernetes-api.js'
import { list, lists, proxyPod } from '../support/live-cluster.js'
import { run } from '../support/run.js'

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
const directory = mkdtempSync(join(tmpdir(), 'live-node-'))
afterAll(() => rmSync(directory, { recursive: true }))

const PODS = '/api/v1/namespaces/kube-system/pods'
const { runTool } = createProcessContext()

/** Runs a command with kubectl for a stand-in for an API server. */
async function runAgainst(args: readonly string[], objects: object, options: ApiOptions) {
  const api = await startKubernetesApi({ ...lists, '/api/v1/nodes/node-1': { ...NODE }, ...objects }, options)
  const file = join(directory, 'config')
  const cluster = { name: 'c', cluster: { server: api.url } }
  const contexts = [{ name: 'test', context: { cluster: 'c', user: 'u' } }]
  const users = [{ name: 'u', user: {} }]
  const config = { kind: 'Config', apiVersion: 'v1', clusters: [cluster], contexts, users, 'current-context': 'test' }
  writeFileSync(file, JSON.stringify(config))
  try {
    const outcome = await run([...args, '--kubeconfig', file], { runTool })
    const changes = api.requests.filter((request) => !/^GET (?!.*\/exec$)/.test(request))
    return { ...outcome, changes, pods: [...api.created.keys()] }
  } finally {
    api.close()
  }
}

const NODE = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'node-1' } }
const OBJECTS = Object.values(lists).flatMap((each) => ('items' in each ? each.items : each))
const POD = { kind: 'Pod', apiVersion: 'v1', ...proxyPod, status: { phase: 'Running' } }
const withProxyPod = { [PODS]: list(POD), [`${PODS}/kube-proxy-x7k2p`]: POD }

/** Runs the script in a shell of this machine, in a network namespace. */
const execInNamespace = (_: string, [shell = '']: readonly string[], stdin: string): ToolOutput => {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const load = 'nft -f "$RULES"; exec "$@"'
  const args = [...asRoot, '--net', 'sh', '-ec', load, 'sh', shell]
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, RULES: join(directory, 'rules') }
  const { status, stdout, stderr } = spawnSync('unshare', args, { input: stdin, encoding: 'utf8', env })
  return { exitCode: status ?? 1, stdout, stderr }
}

interface Role {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

/** Reads the roles of the page about live clusters. */
function readRoles(): readonly Role[] {
  const page = readFileSync(new URL('../../../../docs/how-to/read-a-live-cluster.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /^```yaml\n(.*?)^```/ms.exec(page) ?? []
  return parseSources([{ name: 'page', text: yaml }]).documents.map(({ value }) => value as Role)
}

describe.skipIf(!hasKubectl)('--live with the real kubectl (skipped if kubectl is not installed)', () => {
  it('runs the script in the Pod of kube-proxy', async () => {
    const objects = JSON.stringify(list(...OBJECTS))
    const { stdout: rules } = await run(['print', '-f', 'objects.json', '--kubernetes-version', '1.33'], {
      files: { 'objects.json': objects },
    })
    const { stdout: saved } = await run(
      ['print', '-f', 'objects.json', '--kubernetes-version', '1.33', '--format', 'save'],
      { files: { 'objects.json': objects } },
    )
    writeFileSync(join(directory, 'rules'), rules)
    const isUsable = execInNamespace('', ['true'], '').exitCode === 0
    const exec: ExecHandler = isUsable ? execInNamespace : () => ({ exitCode: 0, stdout: saved, stderr: '' })
    const args = ['verify', '--live', 'node-1']
    const { exitCode, stdout, stderr, changes } = await runAgainst(args, withProxyPod, { exec })
    expect({ stdout, stderr }).toMatchObject({ stdout: 'no drift\n' })
    expect(exitCode).toBe(0)
    expect(changes).toEqual([`GET ${PODS}/kube-proxy-x7k2p/exec`])
  })

  it('passes on the exit code and the message of the script', async () => {
    const exec: ExecHandler = () => ({
      exitCode: 1,
      stdout: '',
      stderr: 'the rules can be read only by root: use sudo sh\n',
    })
    const { exitCode, stderr } = await runAgainst(['verify', '--live', 'node-1'], withProxyPod, { exec })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^Pod kube-proxy-x7k2p: the rules can be read only by root: use sudo sh \(exit code 1\)$/m)
  })

  it('creates, uses and deletes a debugging Pod', async () => {
    const seen: string[] = []
    const exec: ExecHandler = (pod, command) => {
      seen.push(`${pod} ${command.slice(0, 3).join(' ')}`)
      return {
        exitCode: 0,
        stdout: '*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n# not read: nft (not installed)\n',
        stderr: '',
      }
    }
    const args = ['verify', '--live', 'node-1', '--debug-image', 'tools', '--yes']
    const { stderr, changes, pods } = await runAgainst(args, {}, { exec })
    const [name = ''] = /node-debugger-node-1-[a-z0-9]+/.exec(changes.join()) ?? []
    expect(seen, stderr).toEqual([`${name} sh`, `${name} chroot /host /bin/sh`])
    expect(changes).toEqual([
      `POST ${PODS}`,
      `GET ${PODS}/${name}/exec`,
      `GET ${PODS}/${name}/exec`,
      `DELETE ${PODS}/${name}`,
    ])
    expect(pods).toEqual([])
  })

  it('sends only requests that the documented roles permit, and needs each of these rights', async () => {
    const used = new Set<string>()
    const roles = readRoles()
    const allows = ({ verb, group, resource, name, namespace }: ApiRequest) => {
      const rules = roles.flatMap(({ kind, metadata, rules }) =>
        kind === 'ClusterRole' || metadata.namespace === namespace ? rules : [],
      )
      const found = rules.find(
        ({ apiGroups, resources, verbs, resourceNames }) =>
          apiGroups.includes(group) &&
          resources.includes(resource) &&
          verbs.includes(verb) &&
          (resourceNames === undefined || (name !== undefined && resourceNames.includes(name))),
      )
      if (found !== undefined) used.add(`${verb} ${resource} ${found.resourceNames === undefined ? '' : name}`.trim())
      return found !== undefined
    }
    const exec: ExecHandler = () => ({
      exitCode: 0,
      stdout: '*nat\nCOMMIT\n# not read: nft (not installed)\n',
      stderr: '',
    })
    const args = ['verify', '--live', 'node-1', '--debug-image', 'tools', '--yes']
    const { stderr, pods } = await runAgainst(args, withProxyPod, { exec, allows })
    expect(stderr).not.toMatch(/forbidden/i)
    expect(pods).toEqual([])
    const rights = roles.flatMap(({ rules }) =>
      rules.flatMap(({ verbs, resources, resourceNames = [''] }) =>
        verbs.flatMap((verb) =>
          resources.flatMap((resource) => resourceNames.map((name) => `${verb} ${resource} ${name}`.trim())),
        ),
      ),
    )
    // This kubectl runs commands over a WebSocket, and the stand-in does not check create for it.
    expect([...used].sort()).toEqual(rights.filter((right) => right !== 'create pods/exec').sort())
  })

  it('reports that a debugging Pod is forbidden', async () => {
    const args = ['verify', '--live', 'node-1', '--debug-image', 'tools', '--yes']
    const { exitCode, stderr } = await runAgainst(args, {}, {})
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error: kubectl debug node\/node-1: .*forbidden/m)
  })
})
