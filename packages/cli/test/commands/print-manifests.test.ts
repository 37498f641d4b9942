import { describe, expect, it } from 'vitest'
import { clusterJson, configuration, listJson, node, service, slice } from '../support/objects.js'
import { run, type Sandbox } from '../support/run.js'

const print = (args: readonly string[], sandbox: Sandbox = {}) => run(['print', ...args], sandbox)

const web = service('web', ['10.0.0.1'])
const yaml = (...objects: readonly object[]) => objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('')

/** Returns the lines of standard error with this code or text. */
const linesWith = (stderr: string, text: string) => stderr.split('\n').filter((line) => line.includes(text))

describe('messages about manifests', () => {
  const bad = service('bad', ['10.0.0.3'], { ports: [{ name: 'http', port: 700000 }] })
  const odd = service('odd', ['10.0.0.4'], { type: 'Odd' })
  const nameless = { apiVersion: 'v1', kind: 'Service', spec: {} }

  it('contain the file and document number for both omitted and compiled objects', async () => {
    const files = {
      'a.yaml': yaml(web, bad),
      'b.json': listJson(slice('web', '10.1.0.1'), odd),
      'c.yaml': yaml(node('node-1', [])),
    }
    const { stderr } = await print(['-f', 'a.yaml', '-f', 'b.json', '-f', 'c.yaml'], { files })
    expect(linesWith(stderr, 'bad')).toEqual([
      'error: a.yaml, document 2: Service default/bad: spec.ports[0].port: got 700000 (expected a whole number from 1 to 65535) [invalidPort]',
    ])
    expect(linesWith(stderr, 'odd')).toEqual([
      'warning: b.json: Service default/odd: spec.type: "Odd" is unknown and is treated as ClusterIP (expected ClusterIP or NodePort or LoadBalancer) [invalidValue]',
    ])
  })

  it('contain the file and the document number in JSON', async () => {
    const files = { 'a.yaml': yaml(web, odd, node('node-1', [])) }
    const { stdout } = await print(['-f', 'a.yaml', '-o', 'json'], { files })
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code: string; source: string }[] }
    expect(diagnostics.find(({ code }) => code === 'invalidValue')?.source).toBe('a.yaml, document 2')
  })

  it('contain no document number if the input is one document', async () => {
    const { stderr } = await print(['-f', '-'], { stdin: clusterJson(web, bad) })
    expect(stderr).toMatch(/^error: Service default\/bad: /)
  })

  it('identify objects without metadata by their position', async () => {
    const files = { 'a.yaml': yaml(nameless, web), 'b.json': listJson(node('node-1', []), nameless, nameless) }
    const { stderr } = await print(['-f', 'a.yaml', '-f', 'b.json'], { files })
    expect(linesWith(stderr, 'metadata')).toEqual([
      'error: a.yaml, document 1: Service without a name: metadata: missing (expected an object) [missingField]',
      'error: b.json, items[1]: Service without a name: metadata: missing (expected an object) [missingField]',
      'error: b.json, items[2]: Service without a name: metadata: missing (expected an object) [missingField]',
    ])
    const { stderr: single } = await print(['-f', '-'], { stdin: listJson(web, nameless, node('node-1', [])) })
    expect(linesWith(single, 'metadata')).toEqual([
      'error: items[1]: Service without a name: metadata: missing (expected an object) [missingField]',
    ])
  })

  it('report a misspelled field of a configuration once, and suggest a known name', async () => {
    const typo = configuration({ mode: 'iptables', iptables: { masqueradeBits: 14 } })
    const line = (source: string) =>
      `warning: ${source}KubeProxyConfiguration config: iptables.masqueradeBits: unknown field, ignored (expected masqueradeBit) [unknownField]`
    const files = {
      'a.yaml': yaml(web, node('node-1', []), typo),
      'list.json': clusterJson(web),
      'typo.yaml': yaml(typo),
    }
    const among = await print(['-f', 'a.yaml'], { files })
    expect(linesWith(among.stderr, 'unknownField')).toEqual([line('a.yaml, document 3: ')])
    const apart = await print(['-f', 'list.json', '--config', 'typo.yaml'], { files })
    expect(linesWith(apart.stderr, 'unknownField')).toEqual([line('')])
    const both = await print(['-f', 'a.yaml', '--config', 'typo.yaml'], { files })
    expect(linesWith(both.stderr, 'unknownField')).toEqual([line('a.yaml, document 3: '), line('')])
  })

  it('report a misspelled field of a host file once, and suggest a known name', async () => {
    const files = {
      'list.json': clusterJson(web),
      'host.yaml': 'iptablesRandomfully: false\ninterfaces: [{ name: eth0, adresses: [192.0.2.1/24] }]\n',
    }
    const { exitCode, stderr } = await print(['-f', 'list.json', '--host', 'host.yaml'], { files })
    expect(exitCode).toBe(2)
    expect(linesWith(stderr, 'Host host')).toEqual([
      'error: Host host: interfaces[0].addresses: missing (expected a list) [missingField]',
      'warning: Host host: iptablesRandomfully: unknown field, ignored (expected iptablesRandomFully) [unknownField]',
      'warning: Host host: interfaces[0].adresses: unknown field, ignored (expected addresses) [unknownField]',
    ])
    const flags = { ...files, 'host.yaml': 'iptablesRandomfully: false\ninterfaces: []\n' }
    const odd = await print(['-f', 'list.json', '--host', 'host.yaml'], { files: flags })
    expect(linesWith(odd.stderr, 'Host')).toEqual([
      'warning: Host host: iptablesRandomfully: unknown field, ignored (expected iptablesRandomFully) [unknownField]',
    ])
  })
})

describe('YAML merge keys', () => {
  it('are merged into the objects of the input', async () => {
    const stdin = [
      'kind: Service',
      'metadata: &meta { namespace: default, name: one }',
      'spec: &spec { clusterIP: 10.0.0.1, ports: [{ name: http, port: 80 }] }',
      '---',
      'kind: List',
      'items:',
      '  - kind: Service',
      '    metadata: &two { namespace: default, name: two }',
      '    spec: &one { clusterIP: 10.0.0.2, ports: [{ name: http, port: 80 }] }',
      '  - kind: Service',
      '    metadata: { <<: *two, name: three }',
      '    spec: { <<: *one, clusterIP: 10.0.0.3 }',
    ].join('\n')
    const { exitCode, stdout, stderr } = await print(['-f', '-'], { stdin })
    expect(exitCode).toBe(0)
    expect(stderr).not.toContain('error')
    expect(stdout).toContain('default/three:http has no endpoints" -m tcp -p tcp -d 10.0.0.3 --dport 80')
  })
})

describe('--namespace', () => {
  const bare = { ...web, metadata: { name: 'web' } }
  const bareSlice = {
    ...slice('web', '10.1.0.1'),
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  }

  it('applies to objects without a namespace', async () => {
    const files = { 'a.yaml': yaml(bare, bareSlice, service('other', ['10.0.0.2']), node('node-1', [])) }
    const without = await print(['-f', 'a.yaml'], { files })
    expect(without.stderr).toBe('')
    expect(without.stdout).toContain('default/web:http -> 10.1.0.1:8080')
    for (const args of [
      ['--namespace', 'shop'],
      ['-n', 'shop'],
    ]) {
      const { stdout, stderr } = await print(['-f', 'a.yaml', ...args], { files })
      expect(stderr).toBe('')
      expect(stdout).toContain('shop/web:http -> 10.1.0.1:8080')
      expect(stdout).toContain('default/other:http has no endpoints')
    }
  })

  it('does not change the source position in messages', async () => {
    const odd = { ...bare, spec: { ...service('web', ['10.0.0.1']), clusterIP: '10.0.0.1', type: 'Odd', ports: [] } }
    const { stderr } = await print(['-f', 'a.yaml', '-n', 'shop'], {
      files: { 'a.yaml': yaml(node('node-1', []), odd) },
    })
    expect(linesWith(stderr, 'spec.type')).toEqual([
      expect.stringMatching(/^warning: a\.yaml, document 2: Service shop\/web: /),
    ])
  })
})

describe('--assume', () => {
  const manifest = {
    ...web,
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }] },
  }
  const files = {
    'a.yaml': yaml(manifest),
    'live.yaml': yaml(web, manifest, slice('other', '10.1.0.1'), node('node-1', [])),
  }

  it('is the default if the input has no endpoints, and prints a note about the assumed values', async () => {
    const { stdout, stderr } = await print(['-f', 'a.yaml'], { files })
    expect(stderr).toBe(
      'note: assumed, because they are not in the input: namespace default, node node-1, 1 cluster IP, 2 endpoints; --no-assume disables this, and --namespace NAME sets another namespace\n',
    )
    expect(stdout).toMatch(
      /-A KUBE-SERVICES -m comment --comment "default\/web:http cluster IP" -m tcp -p tcp -d 198\.18\./,
    )
    expect(stdout.match(/-j DNAT --to-destination 198\.19\.\d+\.\d+:80$/gm)).toHaveLength(2)
  })

  it('lists each assumed value in the JSON document', async () => {
    const { stdout } = await print(['-f', 'a.yaml', '-o', 'json'], { files })
    const { assumed } = JSON.parse(stdout) as { assumed: readonly { kind: string; path: string; value: string }[] }
    expect(assumed.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'node status.addresses',
      'node status.addresses',
      'namespace metadata.namespace',
      'clusterIP spec.clusterIPs',
      'endpoint spec.selector',
      'endpoint spec.selector',
    ])
    expect(assumed.at(-1)?.value).toMatch(/^198\.19\.\d+\.\d+:80 on node-2$/)
  })

  it('is disabled by --no-assume, and is required if the input has endpoints', async () => {
    const without = await print(['-f', 'a.yaml', '--no-assume', '-n', 'default'], { files })
    expect(linesWith(without.stderr, 'note: ')).toEqual([
      'note: 1 Service has no cluster IP, which an API server would assign; to review rules, assign cluster IPs with --assume',
    ])
    const live = await print(['-f', 'live.yaml', '-n', 'shop'], { files })
    expect(linesWith(live.stderr, 'note: ')).toEqual(linesWith(without.stderr, 'note: '))
    const requested = await print(['-f', 'live.yaml', '-n', 'shop', '--assume'], { files })
    expect(requested.stdout).toContain('shop/web:http -> 198.19.')
  })

  it('is rejected together with --no-assume', async () => {
    const { exitCode, stderr } = await print(['-f', 'a.yaml', '--assume', '--no-assume'], { files })
    expect([exitCode, stderr.split('\n')[0]]).toEqual([2, 'error: options --assume and --no-assume cannot be combined'])
  })

  it('causes no difference between two equal clusters', async () => {
    const both = { 'a.yaml': yaml(manifest, node('node-1', [])), 'b.yaml': yaml(node('node-1', []), manifest) }
    expect(await run(['diff', 'a.yaml', 'b.yaml'], { files: both })).toMatchObject({ exitCode: 0 })
  })

  it('prints a warning if no workload matches a selector', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'db' }, spec: { containers: [{ name: 'db' }] } }
    const { stderr } = await print(['-f', '-'], { stdin: listJson(manifest, pod) })
    expect(linesWith(stderr, 'warning: ')).toEqual([
      'warning: Service default/web: no endpoints: no workload in the input has the labels of the selector',
    ])
  })

  it('has no effect on commands for a live node', async () => {
    const dump = '*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\n'
    for (const command of [['verify', '--anyway'], ['explain', '10.0.0.1:80'], ['compare']]) {
      const { stderr } = await run([...command, '-f', 'web.yaml', '--dump', '-'], {
        files: { 'web.yaml': yaml(web, node('node-1', ['192.168.0.2'])) },
        stdin: dump,
      })
      expect(stderr).not.toContain('assumed')
    }
  })
})

describe('the Kubernetes version of a Node', () => {
  const named = (name: string, kubeProxyVersion: string) => {
    const known = node(name, ['192.168.0.2']) as { status: object }
    return { ...known, status: { ...known.status, nodeInfo: { kubeProxyVersion, kubeletVersion: 'v1.99.0' } } }
  }
  const versionOf = async (args: readonly string[], stdin: string) => {
    const { stdout, stderr } = await print(['-f', '-', '-o', 'json', ...args], { stdin })
    return [JSON.parse(stdout).kubernetesVersion, ...linesWith(stderr, 'note: ')]
  }

  it('is the default version, and appears in a message', async () => {
    const stdin = listJson(web, named('node-1', 'v1.31.4+k3s1'))
    const note =
      'note: Node node-1 has version v1.31.4+k3s1: rules of kube-proxy 1.31; --kubernetes-version selects another'
    expect(await versionOf([], stdin)).toEqual(['1.31', note])
    expect(await versionOf(['--kubernetes-version', '1.33'], stdin)).toEqual(['1.33'])
  })

  it('is taken from the Node that the rules are compiled for', async () => {
    const stdin = listJson(web, named('node-1', 'v1.31.4'), named('node-2', 'v1.32.0'))
    expect((await versionOf(['--node', 'node-2'], stdin))[0]).toBe('1.32')
    expect((await versionOf([], stdin))[0]).toBe('1.31')
  })

  it('appears in a message of diff for each of the two clusters', async () => {
    const files = {
      'a.json': listJson(web, named('node-1', 'v1.31.4')),
      'b.json': listJson(web, named('node-1', 'v1.32.1')),
    }
    const { stderr } = await run(['diff', 'a.json', 'b.json'], { files })
    expect(linesWith(stderr, 'note: ').map((line) => line.slice(0, 47))).toEqual([
      'note: a.json: Node node-1 has version v1.31.4: ',
      'note: b.json: Node node-1 has version v1.32.1: ',
    ])
  })
})
