import { InputError, UsageError } from '@kube-rules/application/messages'
import { describe, expect, it } from 'vitest'
import type { CliContext } from '../../src/cli-context.js'
import { loadCluster } from '../../src/files/load-cluster.js'
import { configuration, listJson, node, service, slice } from '../support/objects.js'
import { memoryFiles, run, runMissingTool, unattended } from '../support/run.js'

const config = configuration({ mode: 'ipvs' })
const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kube-proxy', namespace: 'kube-system' },
  data: {
    'config.conf': 'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: iptables\n',
  },
}
const badMap = { ...configMap, data: { 'config.conf': 'kind: KubeProxyConfiguration\nmode: [\n' } }

const files = {
  'web.json': listJson(service('web', ['10.0.0.1']), slice('web', '10.1.0.1')),
  'node.yaml': 'apiVersion: v1\nkind: Node\nmetadata:\n  name: node-1\n',
  'config.json': JSON.stringify(config),
  'map.json': JSON.stringify(configMap),
  'bad-map.json': JSON.stringify(badMap),
  'host.yaml': 'interfaces:\n  - name: eth0\n    addresses: [192.168.0.2/24]\nnfacctCounters: true\n',
  'bad-host.yaml': 'interfaces: eth0\nnfacctCounters: 1\n',
  'two-hosts.yaml': '{}\n---\n{}\n',
  'bad-config.json': JSON.stringify(configuration({ mode: 5 })),
  'pod.json': JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }),
  'no-kind.yaml': 'kind: Node\nmetadata: { name: node-2 }\n---\nmetadata: { name: x }\n',
}

function load(filename: readonly string[], configFile?: string, stdin = '', host?: string) {
  const writer = { isTTY: false, write: async () => {} }
  const readStdin = async () => new TextEncoder().encode(stdin)
  const context: CliContext = {
    ...unattended,
    args: [],
    env: {},
    stdout: writer,
    stderr: writer,
    files: memoryFiles(files),
    readStdin,
    runTool: runMissingTool,
    startPhase: () => {},
  }
  return loadCluster(context, { filename, config: configFile, host })
}

describe('loadCluster', () => {
  it('returns the objects of every source', async () => {
    const cluster = await load(['web.json', 'node.yaml', '-'], undefined, listJson(node('node-2', [])))
    expect(cluster.services).toEqual([service('web', ['10.0.0.1'])])
    expect(cluster.endpointSlices).toEqual([slice('web', '10.1.0.1')])
    expect(cluster.nodes.map((object) => object.metadata?.name)).toEqual(['node-1', 'node-2'])
    expect(cluster.configuration).toBeUndefined()
    expect(cluster.diagnostics).toEqual([])
  })

  it.each([
    ['a configuration among the objects', ['web.json', 'config.json'], undefined, 'ipvs'],
    ['a ConfigMap among the objects', ['web.json', 'map.json'], undefined, 'iptables'],
    ['--config', ['web.json'], 'config.json', 'ipvs'],
    ['--config with a ConfigMap', ['web.json'], 'map.json', 'iptables'],
    ['--config, although there is one among the objects', ['web.json', 'map.json'], 'config.json', 'ipvs'],
    [
      '--config, although there is an invalid one among the objects',
      ['web.json', 'bad-config.json'],
      'config.json',
      'ipvs',
    ],
  ])('reads the configuration from %s', async (_, filename, configFile, mode) => {
    expect((await load(filename, configFile)).configuration?.mode).toBe(mode)
  })

  it('reads the host from --host', async () => {
    expect((await load(['web.json'], undefined, '', 'host.yaml')).host).toEqual({
      interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }],
      nfacctCounters: true,
    })
    expect((await load(['web.json'])).host).toBeUndefined()
  })

  it('reports every problem of a host', async () => {
    const error = await load(['web.json'], undefined, '', 'bad-host.yaml').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InputError)
    expect((error as InputError).diagnostics.map(({ path }) => path)).toEqual(['interfaces', 'nfacctCounters'])
    await expect(load(['web.json'], undefined, '', 'two-hosts.yaml')).rejects.toThrow('expected one document')
  })

  it('reports the position of a document without a kind', async () => {
    const { diagnostics, nodes } = await load(['no-kind.yaml'])
    expect(nodes).toHaveLength(1)
    expect(diagnostics).toMatchObject([
      { severity: 'error', code: 'missingField', object: { name: 'no-kind.yaml, document 2' }, path: 'kind' },
    ])
  })

  it('rejects input without a valid object', async () => {
    const rejected = load(['pod.json'])
    await expect(rejected).rejects.toThrow(InputError)
    await expect(rejected).rejects.toThrow(/^pod\.json: expected a valid Service, /)
    await expect(rejected).rejects.toMatchObject({ diagnostics: [{ code: 'unknownKind' }] })
  })

  it.each([
    ['among the objects', ['web.json', 'bad-config.json'], undefined],
    ['in --config', ['web.json'], 'bad-config.json'],
    ['in a ConfigMap', ['web.json', 'bad-map.json'], undefined],
    ['in a ConfigMap of --config', ['web.json'], 'bad-map.json'],
  ])('rejects an invalid configuration %s', async (_, filename, configFile) => {
    const rejected = load(filename, configFile)
    await expect(rejected).rejects.toThrow('nothing is printed, because the configuration is invalid')
    await expect(rejected).rejects.toMatchObject({ diagnostics: [{ severity: 'error' }] })
  })

  it('reports the position of a syntax error in a ConfigMap in a one-line message', async () => {
    const error = await load(['bad-map.json', 'web.json']).catch((reason: InputError) => reason)
    const [diagnostic] = error.diagnostics
    expect(diagnostic?.message).toMatch(/^document 1, line \d+, column \d+: [^\n]+$/)
  })

  it('rejects --config if the file contains no configuration', async () => {
    await expect(load(['web.json'], 'node.yaml')).rejects.toThrow(
      new InputError('node.yaml: no KubeProxyConfiguration in it'),
    )
  })

  it.each(['verify', 'compare'])('reports a missing -f before %s reads the dump', async (command) => {
    const { exitCode, stderr } = await run([command, '--dump', 'absent.dump'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('error: option -f or --cluster is missing\n')
    expect(stderr).not.toContain('absent.dump')
  })

  it.each([
    [[], undefined, 'option -f or --cluster is missing'],
    [['-', '-'], undefined, 'standard input (-) can be read only once'],
    [['-'], '-', 'standard input (-) can be read only once'],
  ])('rejects the files %j with --config %s', async (filename, configFile, message) => {
    await expect(load(filename, configFile)).rejects.toThrow(new UsageError(message))
  })
})
