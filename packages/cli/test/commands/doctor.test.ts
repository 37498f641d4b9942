import { describe, expect, it } from 'vitest'
import { list, lists, PATHS, proxyPod } from '../support/live-cluster.js'
import { configuration, listJson, node, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

const settings = configuration({ clusterCIDR: '10.1.0.0/16', mode: 'iptables' })
const nodes = [node('node-1', ['192.168.0.1']), node('node-2', ['192.168.0.2'])]
const healthy = listJson(...nodes, service('web', ['10.0.0.1']), slice('web', '10.1.0.1'), settings)
const broken = listJson(
  ...nodes,
  service('web', ['10.0.0.1']),
  slice('web', '10.1.0.1'),
  service('api', ['10.0.0.2']),
  settings,
)

/** Returns the rules of a node, with further rules before those of kube-proxy in the chain FORWARD. */
async function dumpOf(nodeName: string, ...rules: readonly string[]): Promise<string> {
  const { stdout } = await run(['print', '-f', 'all.json', '--node', nodeName, '--format', 'save', '--family', '4'], {
    files: { 'all.json': healthy },
  })
  return stdout.replace('-A FORWARD', [...rules.map((rule) => `-A FORWARD ${rule}\n`), '-A FORWARD'].join(''))
}

const doctor = (args: readonly string[], files: Readonly<Record<string, string>>) => run(['doctor', ...args], { files })

describe('doctor', () => {
  it('exits with 0 if all packets arrive', async () => {
    expect(await doctor(['-f', 'all.json'], { 'all.json': healthy })).toEqual({
      exitCode: 0,
      stdout: '2 nodes, 1 service port, 6 packets: all arrive as the objects specify\n',
      stderr: '',
    })
  })

  it('prints a table of causes, and the steps', async () => {
    const { exitCode, stdout } = await doctor(['-f', 'all.json'], { 'all.json': broken })
    expect(exitCode).toBe(1)
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'nodes  service ports  packets  from                cause',
      '2/2    1              6        pod, node, outside  rejectedNoEndpoints',
      '',
      'On node node-1, packets from a pod to 10.0.0.2:80/TCP are rejected: default/api:http has no endpoints',
    ])
    expect(stdout).toContain('     kubectl -n default delete svc api\n')
    expect(stdout).toMatch(
      /\nnodes: all\nservice ports: default\/api:http\/TCP\n\n2 nodes, .*: 6 packets may not arrive\n$/,
    )
  })

  it('checks only a Service, a namespace or nodes', async () => {
    const files = { 'all.json': broken }
    const counted = async (...args: readonly string[]) =>
      (await doctor(['-f', 'all.json', ...args], files)).stdout.split(':')[0]
    expect(await counted('default/web')).toBe('2 nodes, 1 service port, 6 packets')
    expect(await counted('svc/web', '-n', 'default', '--node', 'node-2')).toBe('1 node, 1 service port, 3 packets')
    expect(await counted('-n', 'other')).toBe('nothing was checked\n')
  })

  it.each([
    [['-f', 'all.json', 'other/web'], 'there is no Service other/web, but default/web'],
    [['-f', 'all.json', '-n', 'other', 'web'], 'there is no Service other/web, but default/web'],
    [['-f', 'all.json', 'wbe'], 'there is no Service default/wbe; did you mean default/web?'],
    [['-f', 'all.json', 'frontend'], 'there is no Service default/frontend'],
    [['web'], 'option -f, --cluster or --live is missing'],
  ])('rejects the arguments %j', async (args, message) => {
    const { exitCode, stderr } = await doctor(args, { 'all.json': broken })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`error: ${message}\n`)
  })

  it('names no option for the assumed namespace, because --namespace selects the Services to check', async () => {
    const manifest = listJson(...nodes, { ...service('web', ['10.96.0.10']), metadata: { name: 'web' } })
    const { stderr } = await doctor(['-f', 'web.json'], { 'web.json': manifest })
    expect(stderr).toContain('namespace default; --no-assume disables this\n')
  })

  it('names the invalid Services, which it cannot check', async () => {
    const shop = {
      ...service('shop', ['10.0.0.3']),
      spec: { clusterIP: '10.0.0.3', ports: [{ port: 80, nodePort: 99_999 }] },
    }
    const files = { 'all.json': listJson(...nodes, service('web', ['10.0.0.300']), shop, settings) }
    const web = 'Service default/web: spec.clusterIP: "10.0.0.300" is not an IP address'
    const all = await doctor(['-f', 'all.json'], files)
    expect(all).toMatchObject({
      exitCode: 2,
      stdout: 'invalid, so not checked: default/shop, default/web\nnothing was checked\n',
    })
    expect(all.stderr).toContain(web)
    expect(all.stderr).toContain('[invalidAddress]\n')
    expect(await doctor(['-f', 'all.json', 'shop'], files)).toMatchObject({
      exitCode: 2,
      stdout: 'invalid, so not checked: default/shop\nnothing was checked\n',
    })
  })

  it('exits with 1 if packets are lost and a Service is invalid', async () => {
    const files = { 'all.json': listJson(...JSON.parse(broken).items, service('cart', ['10.0.0.300'])) }
    const { exitCode, stdout } = await doctor(['-f', 'all.json'], files)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /\ninvalid, so not checked: default\/cart\n2 nodes, 2 service ports, 12 packets: 6 packets may/,
    )
    expect((await doctor(['-f', 'all.json', 'web'], files)).exitCode).toBe(0)
  })

  it('assumes no missing values with --no-assume', async () => {
    const manifest = listJson(...nodes, {
      ...service('web', []),
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    })
    const assumed = await doctor(['-f', 'web.json'], { 'web.json': manifest })
    expect(assumed.stdout).toContain('2 nodes, 1 service port, ')
    expect(assumed.stderr).toContain('--no-assume disables this')
    const { stdout, stderr } = await doctor(['-f', 'web.json', '--no-assume'], { 'web.json': manifest })
    expect({ stdout, stderr }).toEqual({
      stdout: 'nothing was checked\n',
      stderr: expect.stringContaining('assign cluster IPs with --assume'),
    })
  })

  it('checks the rules of dumps, and merges equal causes of several nodes', async () => {
    const rule = '-d 10.1.0.1/32 -j DROP'
    const files = {
      'all.json': healthy,
      'dumps/node-1.dump': await dumpOf('node-1', rule),
      'dumps/node-2.dump': await dumpOf('node-2'),
    }
    const { exitCode, stdout } = await doctor(['-f', 'all.json', '--dump', 'dumps'], files)
    expect(exitCode).toBe(1)
    expect(stdout).toContain('1/2    1              2        pod, outside  foreignRule\n')
    expect(stdout).toContain(`-A FORWARD ${rule}\nnodes: node-1\n`)
    const both = { ...files, 'dumps/node-2.dump': await dumpOf('node-2', rule) }
    const merged = await doctor(['-f', 'all.json', '--dump', 'dumps'], both)
    expect(merged.stdout).toContain('2/2    1              4        pod, outside  foreignRule\n')
  })

  it('finds drift with its repair', async () => {
    const dump = (await dumpOf('node-1')).replace(/^-A (?:PREROUTING|OUTPUT) .*KUBE-SERVICES\n/gm, '')
    const files = { 'all.json': healthy, 'dumps/node-1.dump': dump }
    const { exitCode, stdout } = await doctor(['-f', 'all.json', '--dump', 'dumps'], files)
    expect(exitCode).toBe(1)
    expect(stdout).toContain('1/1    1              2        node, outside  missingRule\n')
    expect(stdout).toContain('\nrule: missing: -A PREROUTING ')
  })

  it('exits with 2 and names the nodes that were not checked', async () => {
    const files = { 'all.json': healthy, 'node-1.dump': await dumpOf('node-1'), 'node-3.dump': await dumpOf('node-1') }
    const args = ['-f', 'all.json', '--dump', 'node-1.dump', '--dump', 'node-3.dump']
    const { exitCode, stdout, stderr } = await doctor(args, files)
    expect(stdout).toBe('1 node, 1 service port, 3 packets: all arrive as the objects specify\n')
    expect(stderr).toBe('warning: node node-3 was not checked: there is no Node of this name\n')
    expect(exitCode).toBe(2)
    const chosen = await doctor(['-f', 'all.json', '--dump', 'node-1.dump', '--node', 'node-2'], files)
    expect(chosen).toMatchObject({ exitCode: 2, stderr: 'warning: node node-2 was not checked: it has no dump\n' })
    const twice = await doctor(['-f', 'all.json', '--dump', 'node-1.dump', '--dump', 'node-1.dump'], files)
    expect(twice).toMatchObject({ exitCode: 2, stderr: 'error: node node-1 has two dumps\n' })
  })

  it('names the Nodes if --node names none of them', async () => {
    const answer = await doctor(['-f', 'all.json', '--node', 'node-1', '--node', 'node-9'], { 'all.json': healthy })
    expect(answer).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: there is no Node node-9; the Nodes are node-1, node-2\n',
    })
    const without = listJson(service('web', ['10.0.0.1']), slice('web', '10.1.0.1'), settings)
    const unnamed = await doctor(['-f', 'all.json', '--no-assume'], { 'all.json': without })
    expect(unnamed.stderr).toBe('error: there are no Nodes among the objects (--node names one)\n')
  })

  it('assumes a Node if the objects of a live cluster have none', async () => {
    const web = service('web', ['10.0.0.1'])
    const files = { 'all.json': listJson(web, slice('web', '10.1.0.1'), settings) }
    const answer = await doctor(['-f', 'all.json'], files)
    expect(answer).toEqual({
      exitCode: 0,
      stdout: '1 node, 1 service port, 3 packets: all arrive as the objects specify\n',
      stderr: 'note: assumed, because they are not in the input: node node-1; --no-assume disables this\n',
    })
    expect(await doctor(['-f', 'all.json', '--node', 'node-7'], files)).toMatchObject({ exitCode: 0 })
  })

  it('names the Endpoints with another port name than the Service', async () => {
    const endpoints = {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { namespace: 'default', name: 'db' },
      subsets: [{ addresses: [{ ip: '198.51.100.7' }], ports: [{ name: 'sql', port: 5432 }] }],
    }
    const db = service('db', ['10.0.0.9'], { selector: undefined, ports: [{ port: 5432 }] })
    const { stdout } = await doctor(['-f', 'all.json'], { 'all.json': listJson(...nodes, db, endpoints, settings) })
    expect(stdout).toContain(
      'it has no selector, and its Endpoints db has no port without a name (it has sql 5432/TCP)\n',
    )
    expect(stdout).toContain(
      '1. Give the port in Endpoints db and the port of Service default/db the same name; kubectl shows it:\n',
    )
    expect(stdout).not.toContain('selector of Service')
  })

  it('prints the diagnostics of all nodes, each once, with the nodes that have them', async () => {
    const { status, ...rest } = Object(node('node-3', ['192.168.0.3']))
    const files = {
      'all.json': listJson(
        ...nodes,
        { ...rest, status: { ...status, nodeInfo: { kubeProxyVersion: 'v1.99.0' } } },
        service('web', ['10.0.0.1'], { externalIPs: ['192.168.0.2'] }),
        slice('web', '10.1.0.1'),
        service('bad', ['x']),
        settings,
      ),
    }
    const { stderr } = await doctor(['-f', 'all.json'], files)
    expect(stderr.split('\n').filter((line) => !line.startsWith('error'))).toEqual([
      expect.stringMatching(
        /^warning: Service default\/web: .* address of the node \(on node-2\) \[nodeAddressConflict\]$/,
      ),
      expect.stringMatching(/^warning: Node node-3: .*; the rules are those of 1.\d+ \(expected /),
      '',
    ])
    expect(stderr.match(/^error: Service default\/bad: spec.clusterIP: /gm)).toHaveLength(1)
    const { stdout } = await doctor(['-f', 'all.json', '-o', 'json'], files)
    const { diagnostics } = JSON.parse(stdout)
    const named = (diagnostics as { code: string; nodes?: string[] }[]).map(({ code, nodes }) => [code, nodes])
    expect(named).toEqual(
      expect.arrayContaining([
        ['invalidAddress', undefined],
        ['nodeAddressConflict', ['node-2']],
        ['unsupportedVersion', ['node-3']],
      ]),
    )
  })

  it('rejects a configuration that kube-proxy rejects', async () => {
    const files = { 'all.json': listJson(...nodes, configuration({ bindAddress: 'x' })) }
    const { exitCode, stderr } = await doctor(['-f', 'all.json'], files)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('error: nothing is printed, because the configuration is invalid\n')
  })

  it('reads the rules of all nodes with kubectl', async () => {
    let rules = ''
    const answer = (args: readonly string[]) => {
      const succeed = (value: object) => ({ exitCode: 0, stdout: JSON.stringify(value), stderr: '' })
      if (args.includes('exec')) return { exitCode: 0, stdout: rules, stderr: '' }
      if (args.includes('nodes')) return succeed(list(node('node-1', ['192.168.0.2']), node('node-2', ['192.168.0.3'])))
      if (args.includes('pods')) return succeed(args.includes('k8s-app=kube-proxy') ? list(proxyPod) : list())
      const [, path] = PATHS.find(([word]) => args.includes(word)) ?? (['', '/api/v1/nodes'] as const)
      return succeed(lists[path])
    }
    const printed = await run(['print', '--cluster', '--format', 'save'], { runTool: async (_, args) => answer(args) })
    rules = printed.stdout
    const { exitCode, stdout, stderr } = await run(['doctor', '--live'], { runTool: async (_, args) => answer(args) })
    expect(stdout).toBe('1 node, 1 service port, 3 packets: all arrive as the objects specify\n')
    expect(stderr).toContain('warning: node node-2 was not checked: Pod of kube-proxy: not found on this node; ')
    expect(exitCode).toBe(2)
  })

  it('checks each live node with the flags of its own Pod', async () => {
    const podOn = (nodeName: string, addresses: string) => ({
      metadata: { name: `kube-proxy-${nodeName}`, namespace: 'kube-system' },
      spec: {
        nodeName,
        containers: [
          {
            name: 'kube-proxy',
            command: [
              'kube-proxy',
              '--proxy-mode=nftables',
              '--cluster-cidr=10.1.0.0/16',
              `--nodeport-addresses=${addresses}`,
            ],
          },
        ],
      },
    })
    const pods = list(podOn('node-1', '192.168.0.0/16'), podOn('node-2', '192.168.9.0/24'))
    const ports = [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080, nodePort: 30_080 }]
    const rules = new Map<string, string>()
    const runTool = async (_: string, args: readonly string[]) => {
      const succeed = (value: object) => ({ exitCode: 0, stdout: JSON.stringify(value), stderr: '' })
      if (args.includes('exec')) {
        const name = args.find((word) => word.startsWith('kube-proxy-')) ?? ''
        return { exitCode: 0, stdout: rules.get(name.slice('kube-proxy-'.length)) ?? '', stderr: '' }
      }
      if (args.includes('nodes')) return succeed(list(...nodes))
      if (args.includes('services')) return succeed(list(service('web', ['10.0.0.1'], { type: 'NodePort', ports })))
      if (args.includes('pods')) return succeed(args.includes('k8s-app=kube-proxy') ? pods : list())
      if (args.includes('configmap')) return { exitCode: 0, stdout: '', stderr: '' }
      const [, path] = PATHS.find(([word]) => args.includes(word)) ?? (['', '/api/v1/nodes'] as const)
      return succeed(lists[path])
    }
    for (const nodeName of ['node-1', 'node-2']) {
      rules.set(
        nodeName,
        (await run(['print', '--cluster', '--node', nodeName, '--format', 'save'], { runTool })).stdout,
      )
    }
    const { exitCode, stdout, stderr } = await run(['doctor', '--live'], { runTool })
    expect(stdout).toBe('2 nodes, 1 service port, 9 packets: all arrive as the objects specify\n')
    expect(stderr).toContain(
      'note: configuration of kube-proxy: the flags of Pod kube-proxy-node-1; Pods on node-2 have ',
    )
    expect(exitCode).toBe(0)
    const forced = await run(['doctor', '--live', '--config', 'c.yaml'], {
      runTool,
      files: {
        'c.yaml': JSON.stringify(
          configuration({ mode: 'nftables', clusterCIDR: '10.1.0.0/16', nodePortAddresses: ['192.168.0.0/17'] }),
        ),
      },
    })
    expect(forced).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^1\/2 .* 3 .* missingRule$/m) })
  })

  it('rejects options that contradict each other', async () => {
    for (const [args, message] of [
      [['--live', '--dump', 'a'], 'options --live and --dump cannot be combined'],
      [['--cluster', '--debug-image', 'a'], 'option --debug-image is only for --live'],
      [['-f', 'a', 'x', 'y'], 'unexpected argument y'],
    ] as const) {
      const { exitCode, stderr } = await doctor(args, {})
      expect(exitCode).toBe(2)
      expect(stderr).toContain(`error: ${message}\n`)
    }
  })
})
