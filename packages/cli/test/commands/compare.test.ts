import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run, type Sandbox } from '../support/run.js'

const PAGE = readFileSync(new URL('../../../../docs/how-to/compare.md', import.meta.url), 'utf8')

/** Returns the fenced blocks of this language in docs/how-to/compare.md. */
function blocks(language: string): readonly string[] {
  const fences = Array.from(PAGE.matchAll(/^```(\w*)\n(.*?)^```$/gms))
  return fences.flatMap(([, name, text]) => (name === language && text !== undefined ? [text] : []))
}

const [shop = ''] = blocks('yaml')
const [migration, request] = blocks('').filter((block) => /^(?:differs|new warning)/.test(block))
const broken = shop.replace('externalTrafficPolicy: Cluster', 'externalTrafficPolicy: Local')

const pods = configuration({ clusterCIDR: '10.1.0.0/16' })
const web = clusterJson(service('web', ['10.0.0.1']), slice('web', '10.1.0.1'), pods)
const dual = clusterJson(service('web', ['10.0.0.1', 'fd00::1']), slice('web', '10.1.0.1'), pods)

const files: Record<string, string> = {
  'cluster/shop.yaml': shop,
  'old/shop.yaml': shop,
  'new/shop.yaml': broken,
  'web.json': web,
  'dual.json': dual,
  'bad.json': clusterJson(service('bad', ['10.0.0.3'], { ports: [{ name: 'http', port: 700000 }] })),
}

beforeAll(async () => {
  const { stdout } = await run(['print', '-f', 'web.json', '--format', 'save', '--family', '4'], { files })
  files['same.save'] = stdout
  files['other.save'] = stdout.replace(/^-A KUBE-SEP-\S+ -p tcp .*\n/m, '')
  files['foreign.save'] = stdout.replace(
    /^-A PREROUTING /m,
    '-A PREROUTING -m ttl --ttl-eq 1 -j RETURN\n-A PREROUTING ',
  )
})

const compare = (args: readonly string[], sandbox: Sandbox = {}) => run(['compare', ...args], { files, ...sandbox })
const traffic = (...args: readonly string[]) => run(['diff', ...args, '--traffic'], { files })

describe('compare', () => {
  it('describes the effects of a migration', async () => {
    const { exitCode, stdout } = await compare(['-f', 'cluster', '--modes', 'ipvs,nftables', '--family', '4'])
    expect(stdout).toBe(migration)
    expect(exitCode).toBe(1)
  })

  it('with --unexpected, lists known mode limitations instead of the differences that they explain', async () => {
    const args = ['-f', 'cluster', '--modes', 'ipvs,nftables', '--family', '4', '--unexpected']
    const { exitCode, stdout } = await compare(args)
    expect(blocks('')).toContain(stdout)
    expect(exitCode).toBe(0)
    const { families } = JSON.parse((await compare([...args, '-o', 'json'])).stdout)
    expect(families[0]).toMatchObject({ equal: false, differences: [], expected: { classes: 30 } })
    expect((await compare([...args, '-o', 'markdown'])).stdout).toContain(
      '\n- 30 classes differ by known limitations: `ipvs` ',
    )
    const wrong = await compare(['-f', 'cluster', '--kubernetes-versions', '1.31,1.32', '--unexpected'])
    expect(wrong.stderr).toContain('option --unexpected is only for --modes')
  })

  it('exits with 0 if there is no difference', async () => {
    const same = await compare(['-f', 'web.json', '--kubernetes-versions', '1.31,1.32', '--family', '4'])
    expect(same.stdout).toMatch(/^no difference in \d+ classes of packets\n$/)
    expect(same.exitCode).toBe(0)
  })

  it('prints the causes of differences between versions in every output format', async () => {
    const args = ['-f', 'cluster', '--mode', 'ipvs', '--kubernetes-versions', '1.25,1.26', '--family', '4']
    const cause =
      'since 1.26: packets to Service addresses are rejected if no Service has the port (accessFilter, kubernetes/kubernetes#108460)'
    expect((await compare(args)).stdout).toContain(`\n  ${cause}\n`)
    const markdown = (await compare([...args, '-o', 'markdown'])).stdout
    expect(markdown).toContain(`; because \`${cause}\``)
    const { families } = JSON.parse((await compare([...args, '-o', 'json'])).stdout)
    expect(families[0].differences[0].causes).toEqual([
      {
        version: '1.26',
        feature: 'accessFilter',
        summary: 'packets to Service addresses are rejected if no Service has the port',
        change: 'kubernetes/kubernetes#108460',
      },
    ])
  })

  it('compares the compiled rules of the requested families with a dump', async () => {
    const same = await compare(['-f', 'web.json', '--dump', 'same.save'])
    expect(same.stdout).toMatch(/^no difference in \d+ classes of packets\n$/)
    const other = await compare(['-f', 'web.json', '--dump', '-'], { stdin: files['other.save'] ?? '' })
    expect(other.exitCode).toBe(1)
    expect(other.stdout).toContain('\n  compiled: 10.1.0.1:8080\n  live: not handled by kube-proxy\n')
    const both = await compare(['-f', 'web.json', '--dump', 'same.save', '--family', 'both'])
    expect(both.stdout).toContain('IPv6\n')
  })

  it('exits with 2 if the result is undetermined', async () => {
    const { exitCode, stdout } = await compare(['-f', 'web.json', '--dump', 'foreign.save'])
    expect(stdout).toContain('undetermined: TCP 10.0.0.1:80')
    expect(stdout).not.toContain('differs: ')
    expect(exitCode).toBe(2)
  })

  it('prints one JSON document for both families', async () => {
    const { stdout } = await compare(['-f', 'dual.json', '--modes', 'iptables,nftables', '-o', 'json'])
    const { schemaVersion, sides, families, diagnostics } = JSON.parse(stdout)
    expect({ schemaVersion, sides, diagnostics }).toMatchObject({ schemaVersion: 1, sides: ['iptables', 'nftables'] })
    expect(families.map(({ family, equal }: { family: string; equal: boolean }) => [family, equal])).toEqual([
      ['IPv4', false],
      ['IPv6', false],
    ])
    expect(families[0].differences[0]).toHaveProperty('a.paths')
    const { stdout: text } = await compare(['-f', 'dual.json', '--modes', 'iptables,nftables'])
    expect(text).toMatch(/^IPv4\ndiffers: .*\n\nIPv6\ndiffers: /s)
  })

  it('rejects invalid objects with --strict', async () => {
    const { exitCode } = await compare(['-f', 'bad.json', '--modes', 'iptables,ipvs', '--strict'])
    expect(exitCode).toBe(2)
  })

  it.each([
    [[], 'one of the options --modes, --kubernetes-versions, --dump and --live is required'],
    [
      ['--modes', 'iptables,ipvs', '--kubernetes-versions', '1.30,1.31'],
      'options --modes, --kubernetes-versions and --dump cannot be combined',
    ],
    [['--modes', 'ipvs,nftables', '--dump', 'same.save'], 'options --modes,'],
    [['--modes', 'ipvs'], 'option --modes is ipvs; expected two, as in A,B'],
    [['--modes', 'ipvs,nftables,iptables'], 'expected two, as in A,B'],
    [['--modes', 'ipvs,windows'], 'option --modes has windows; expected iptables, ipvs, nftables or userspace'],
    [['--modes', 'ipvs,nftables', '--mode', 'ipvs'], 'options --mode and --modes cannot be combined'],
    [
      ['--kubernetes-versions', '1.33,1.34', '--kubernetes-version', '1.33'],
      'options --kubernetes-version and --kubernetes-versions cannot be combined',
    ],
  ])('prints an error for the arguments %s', async (options, message) => {
    const { exitCode, stderr } = await compare(['-f', 'web.json', ...options])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('diff --traffic', () => {
  it('describes the effects of a pull request', async () => {
    const { exitCode, stdout } = await traffic('old', 'new', '--family', '4')
    expect(stdout).toBe(request)
    expect(exitCode).toBe(1)
  })

  it('exits with 0 if no packet changes its destination', async () => {
    const { exitCode, stdout } = await traffic('old', 'cluster', '--family', '4')
    expect(stdout).toMatch(/^no difference/)
    expect(exitCode).toBe(0)
  })

  it('prints a comment for a pull request', async () => {
    const { stdout } = await traffic('old', 'new', '-o', 'markdown')
    expect(stdout.split('\n').map((line) => line.replace(/\d+ classes/, 'N classes'))).toEqual([
      '**2 changes** from `old` to `new` in N classes of packets',
      '- warning: `Service shop/web: spec.healthCheckNodePort: a LoadBalancer Service with externalTrafficPolicy Local has no health-check port [missingHealthCheckNodePort]`',
      '- **`shop/web:http/TCP`**: `TCP 192.168.0.2:30080, 198.51.100.1:80`, `from the network, any other source`: `10.244.2.7:8080` → `dropped`; because `the traffic policy is Local, and no endpoint on this node is usable; nodes with an endpoint: node-2`',
      '- **`shop/web:http/TCP`**: `TCP 192.168.0.2:30080, 198.51.100.1:80`, `from the network, any other source in 10.244.0.0/16`: `masqueraded` → `with the client IP`',
      '',
    ])
  })

  it('prints the same manifest change as the documentation page', async () => {
    const manifests = blocks('yaml')[1] ?? ''
    const sandbox = {
      'base/shop.yaml': manifests,
      'head/shop.yaml': manifests.replace('externalTrafficPolicy: Cluster', 'externalTrafficPolicy: Local'),
    }
    const { stdout } = await run(['diff', 'base', 'head', '--traffic', '-o', 'markdown'], { files: sandbox })
    expect([stdout]).toEqual(blocks('markdown'))
  })

  it('prints one JSON document', async () => {
    const { stdout } = await traffic('old', 'new', '-o', 'json', '--family', '4')
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, sides: ['old', 'new'] })
  })

  it('rejects other output options', async () => {
    expect((await traffic('old', 'new', '--stat')).stderr).toContain('options --stat and --traffic cannot be combined')
    const { stderr } = await run(['diff', 'old', 'new', '-o', 'markdown'], { files })
    expect(stderr).toContain('option -o markdown is for --traffic')
  })
})
