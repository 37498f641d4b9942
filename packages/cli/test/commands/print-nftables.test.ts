import { describe, expect, it } from 'vitest'
import { clusterJson, listJson, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

const web = service('web', ['10.0.0.1', 'fd00::1'])
const serviceCIDR = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: ['10.0.0.0/16', 'fd00::/112'] },
}
const stdin = clusterJson(web, slice('web', '10.1.0.1'))

const print = (args: readonly string[], input = stdin) =>
  run(['print', '-f', '-', '--mode', 'nftables', ...args], { stdin: input })

describe('print --mode nftables', () => {
  it('prints the input of nft -f - by default', async () => {
    const { exitCode, stdout, stderr } = await print(['--family', '4'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout.split('\n').filter((line) => /10\.|default\/web/.test(line))).toEqual([
      'add chain ip kube-proxy service-SUSTUHLJ-default/web/tcp/http',
      'add rule ip kube-proxy service-SUSTUHLJ-default/web/tcp/http meta l4proto tcp dnat to 10.1.0.1:8080',
      'add element ip kube-proxy hairpin-connections { 10.1.0.1 . 10.1.0.1 . tcp . 8080 }',
      'add element ip kube-proxy cluster-ips { 10.0.0.1 }',
      'add element ip kube-proxy service-ips { 10.0.0.1 . tcp . 80 : goto service-SUSTUHLJ-default/web/tcp/http }',
    ])
  })

  it('prints the output of nft list ruleset as it is after the rules are loaded', async () => {
    const { stdout } = await print(['--family', '4', '--format', 'save'])
    expect(stdout).toMatch(/^table ip kube-proxy \{\n\tcomment "rules for kube-proxy"\n/)
    expect(stdout).toContain(
      '\t\telements = { 10.0.0.1 . tcp . 80 : goto service-SUSTUHLJ-default/web/tcp/http }\n\t}\n',
    )
    expect(stdout).toContain('\t\tmeta l4proto tcp dnat to 10.1.0.1:8080\n\t}\n')
    expect(stdout).toMatch(/\n\}\n$/)
  })

  it('prints both families under headings', async () => {
    const { stdout } = await print(['--family', 'both'])
    expect(stdout.split('\n').filter((line) => /^#|^add table/.test(line))).toEqual([
      '# IPv4',
      'add table ip kube-proxy { comment "rules for kube-proxy" ; }',
      '# IPv6',
      'add table ip6 kube-proxy { comment "rules for kube-proxy" ; }',
    ])
  })

  it('rejects --subsystem, because nftables mode has only one subsystem', async () => {
    const message = 'option --subsystem is nftables; expected ipset, ipvs, addresses, iptables'
    expect((await print(['--subsystem', 'nftables'])).stderr).toContain(message)
    const other = 'option --subsystem ipset is only for ipvs mode; the mode is nftables'
    expect((await print(['--subsystem', 'ipset'])).stderr).toContain(other)
    const [family] = JSON.parse((await print(['-o', 'json'])).stdout).families
    expect(Object.keys(family)).toEqual(['family', 'text', 'healthCheckNodePorts', 'counts'])
  })

  it('reads the networks of cluster IPs from ServiceCIDRs', async () => {
    const drops = async (input: string) =>
      (await print(['--family', 'both'], input)).stdout.split('\n').filter((line) => line.includes(' drop comment '))
    const comment = 'drop comment "Drop traffic to unallocated ClusterIPs"'
    expect(await drops(clusterJson(web, serviceCIDR))).toEqual([
      `add rule ip kube-proxy cluster-ips-check ip daddr { 10.0.0.0/16 } ${comment}`,
      `add rule ip6 kube-proxy cluster-ips-check ip6 daddr { fd00::/112 } ${comment}`,
    ])
    expect(await drops(stdin)).toEqual([])
    expect((await print([], listJson(serviceCIDR))).exitCode).toBe(0)
  })

  it('reports the file and document of a ServiceCIDR with an invalid network', async () => {
    const bad = { ...serviceCIDR, spec: { cidrs: ['10.0.0.0/16', 'none'] } }
    const { stderr } = await print(['--family', '4'], clusterJson(web, bad))
    expect(stderr).toContain('error: ServiceCIDR kubernetes')
    expect(stderr).toContain('spec.cidrs[1]: "none" is not a network')
  })

  it('prints the rules of the version in --kubernetes-version', async () => {
    const textOf = async (version: string) => (await print(['--family', '4', '--kubernetes-version', version])).stdout
    expect(await textOf('1.36')).toContain('dnat ip addr . port to numgen random mod 1 map { 0 : 10.1.0.1 . 8080 }\n')
    expect(await textOf('1.35')).toContain('numgen random mod 1 vmap { 0 : goto endpoint-')
    const { exitCode, stderr } = await print(['--kubernetes-version', '1.30'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('must be iptables, ipvs'),
    })
  })
})

describe('the output of nft list ruleset', () => {
  const listed = async (...args: string[]) => (await print(['--family', 'both', '--format', 'save', ...args])).stdout
  const verify = (dump: string, ...args: string[]) =>
    run(['verify', '-f', 'c.json', '--mode', 'nftables', '--dump', '-', ...args], {
      stdin: dump,
      files: { 'c.json': stdin },
    })

  it('has no drift if it is unchanged', async () => {
    const dump = `table inet firewalld {\n\tchain input {\n\t}\n}\n${await listed()}`
    expect(await verify(dump)).toMatchObject({ exitCode: 0, stdout: 'no drift\n' })
  })

  it('is reported with a repair if an element is missing', async () => {
    const dump = (await listed()).replace('\t\telements = { 10.0.0.1 }\n', '')
    expect(await verify(dump)).toMatchObject({
      exitCode: 1,
      stdout: [
        'default/web:http/TCP (IPv4)',
        '  nftables ip kube-proxy element cluster-ips 10.0.0.1 missing: the rules for cluster IPs, such as the rejection of other ports, do not apply to this address',
        '    + cluster-ips 10.0.0.1',
        '',
        '1 missing',
        '',
      ].join('\n'),
    })
    const { stdout } = await verify(dump, '--script')
    expect(stdout).toContain("nft -f - <<'END' || exit\nadd element ip kube-proxy cluster-ips { 10.0.0.1 }\nEND\n")
  })

  it('is the only dump that verify accepts in nftables mode', async () => {
    const { stdout } = await run(['print', '-f', '-', '--mode', 'iptables', '--family', '4', '--format', 'save'], {
      stdin,
    })
    const { exitCode, stderr } = await verify(stdout, '--family', '4')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('the dump has no rules of nftables mode, but of iptables mode')
    expect(stderr).toContain('the dump has no tables, as printed by nft list ruleset')
  })

  it('is valid input for explain', async () => {
    const { exitCode, stdout } = await run(['explain', '--dump', '-', '10.0.0.1:80', '--from', '10.1.0.7'], {
      stdin: await listed(),
    })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('10.1.0.1:8080')
    expect(stdout).toContain('default/web:http')
  })
})
