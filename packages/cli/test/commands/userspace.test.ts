import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from '../support/run.js'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const FILES = {
  'cluster.yaml': read('fixtures/listing-portals/cluster.yaml'),
  'host.yaml': read('fixtures/listing-portals/host.yaml'),
  'node.save': read('fixtures/listing-portals/userspace.ipv4.save'),
  'other.save': read('fixtures/listing-portals/userspace.ipv4.save').replaceAll('37255', '50000'),
  'old.dump': read('packages/analyzer/test/corpus/kube-1.1-portals.save'),
}
const userspace = (command: string, ...args: readonly string[]) =>
  run([command, ...(args.includes('-f') ? [] : ['-f', 'cluster.yaml']), '--mode', 'userspace', ...args], {
    files: FILES,
  })

describe('verify --mode userspace', () => {
  it.each(['node.save', 'other.save'])('reads the ports of the proxy from the dump %s', async (dump) => {
    const { exitCode, stdout } = await userspace('verify', '--dump', dump)
    expect([exitCode, stdout]).toEqual([0, 'no drift\n'])
  })

  it('compares the ports of the proxy with the ports of --host', async () => {
    expect((await userspace('verify', '--host', 'host.yaml', '--dump', 'node.save')).exitCode).toBe(0)
    const { exitCode, stdout } = await userspace('verify', '--host', 'host.yaml', '--dump', 'other.save')
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^ {4}- .* -j REDIRECT --to-ports 50000\n.*\n {4}\+ .* -j REDIRECT --to-ports 37255$/m)
    expect(stdout).toMatch(/\n2 missing, 2 extra\n$/)
  })
})

describe('explain in userspace mode', () => {
  it('traces a packet to the port of the proxy', async () => {
    const { stdout } = await userspace('explain', '--dump', 'node.save', '--from', 'pod', '10.152.183.226:80')
    expect(stdout).toContain('default/nginx, cluster IP: kube-proxy itself accepts the connection; without endpoints')
    expect(stdout).toContain('=> to the proxy, at port 37255\n')
  })

  it('reads a Kubernetes 1.1 dump without objects', async () => {
    const args = [
      'explain',
      '--dump',
      'old.dump',
      '--node-address',
      '172.21.102.125',
      '--from',
      'node',
      '10.152.183.10:53/udp',
    ]
    const { stdout } = await run(args, { files: FILES })
    expect(stdout).toContain('kube-system/kube-dns:dns/UDP\n')
    expect(stdout).toContain('OUTPUT nat: KUBE-PORTALS-HOST > DNAT --to-destination 172.21.102.125:35960\n')
    expect(stdout).toContain('=> to the proxy, at port 35960\n')
  })
})

describe('print --mode userspace', () => {
  const node = (version: string) =>
    `${FILES['cluster.yaml']}---\napiVersion: v1\nkind: Node\nmetadata: {name: old}\nstatus: {nodeInfo: {kubeProxyVersion: ${version}}, addresses: [{type: InternalIP, address: 10.0.0.1}]}\n`
  const print = (version: string, ...args: readonly string[]) =>
    run(['print', '-f', 'c.yaml', '--mode', 'userspace', '--node', 'old', ...args], {
      files: { 'c.yaml': node(version) },
    })

  it('uses the Node version if it has userspace mode, or else the last version with userspace mode', async () => {
    const old = await print('v1.21.14')
    expect(old.stderr).toContain(
      'Node old has version v1.21.14: rules of kube-proxy 1.21; --kubernetes-version selects another',
    )
    expect(old.stdout).toContain(' -d 10.152.183.1/32 ')
    const later = await print('v1.30.1')
    expect(later.stderr).toContain(
      '"v1.30.1" is no version with userspace mode; the rules are those of 1.25 (expected a version from 1.14 to 1.25)',
    )
    expect(later.stdout).toContain(' -d 10.152.183.1 ')
  })

  it('rejects an unsupported version with a list of supported versions', async () => {
    const { exitCode, stderr } = await print('v1.21.14', '--kubernetes-version', '1.30')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('kube-rules does not support userspace mode of kube-proxy 1.30')
    expect(stderr).toMatch(/expected iptables, .*; userspace: 1\.14 to 1\.25/)
  })
})
