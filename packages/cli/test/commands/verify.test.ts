import { beforeAll, describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run, type Sandbox, systemError } from '../support/run.js'

const web = service('web', ['10.0.0.1'])
const dual = service('dual', ['10.0.0.2', 'fd00::2'])
const bad = service('bad', ['10.0.0.3'], { ports: [{ name: 'http', port: 700000 }] })
const endpoints = slice('web', '10.1.0.1')

const pods = configuration({ clusterCIDR: '10.1.0.0/16,fd00:1::/48' })

const objects = {
  'web.json': clusterJson(web, endpoints, pods),
  'dual.json': clusterJson(web, endpoints, dual, pods),
  'bad.json': clusterJson(web, endpoints, bad, pods),
  'config.json': JSON.stringify(configuration({ mode: 'ipvs' })),
}

/** Prints the dump of a node with the rules of a cluster. */
async function dumpOf(file: keyof typeof objects, ...options: readonly string[]): Promise<string> {
  const { stdout } = await run(['print', '-f', file, '--format', 'save', ...options], { files: objects })
  return stdout
}

let dumps: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  const good = await dumpOf('web.json', '--family', '4')
  const ipvs = ['--mode', 'ipvs', '--family', '4'] as const
  dumps = {
    'good.save': good,
    'both.save': await dumpOf('dual.json', '--family', 'both'),
    'broken.save': good.replace(/^-A KUBE-SEP-\S+ -p tcp .*\n/m, ''),
    'ipvs.iptables': await dumpOf('web.json', ...ipvs, '--subsystem', 'iptables'),
    'ipvs.ipset': await dumpOf('web.json', ...ipvs, '--subsystem', 'ipset'),
    'ipvs.ipvs': await dumpOf('web.json', ...ipvs, '--subsystem', 'ipvs'),
    'ipvs.all': await dumpOf('web.json', ...ipvs),
    'other.save': `${good}# x\n`.replace('*nat\n', '*nat\n:KUBE-POD-FW-X - [0:0]\n:DOCKER - [0:0]\n'),
    'wrong.save': '*nat\n-A A nonsense\nCOMMIT\n',
    'empty.save': '# nothing\n',
    'sets.save': 'create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536\n',
  }
})

const verify = (args: readonly string[], sandbox: Sandbox = {}) =>
  run(['verify', ...args], { files: { ...objects, ...dumps }, ...sandbox })

const DNAT =
  '-A KUBE-SEP-CT7ZR3IHQJGWGGTW -p tcp -m comment --comment "default/web:http" -m tcp -j DNAT --to-destination 10.1.0.1:8080'

const NEWEST =
  'note: no version of the node is known: rules of kube-proxy 1.37, the newest; --kubernetes-version selects another\n'

describe('verify', () => {
  it('exits with 0 if the node matches the compiled rules', async () => {
    const nothing = { exitCode: 0, stdout: 'no drift\n', stderr: '' }
    expect(await verify(['-f', 'web.json', '--dump', 'good.save'])).toEqual(nothing)
    expect(await verify(['-f', 'dual.json', '--dump', 'both.save'])).toEqual(nothing)
    expect(await verify(['-f', 'web.json', '--dump', '-'], { stdin: dumps['good.save'] ?? '' })).toEqual(nothing)
    const script = await verify(['-f', 'web.json', '--dump', 'good.save', '--script'])
    expect(script).toEqual({ ...nothing, stdout: '' })
  })

  it('prints the drift of each service port and exits with 1', async () => {
    const { exitCode, stdout, stderr } = await verify(['-f', 'web.json', '--dump', 'broken.save'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: NEWEST })
    expect(stdout.replaceAll(/KUBE-SEP-\w{16}/g, 'KUBE-SEP-CT7ZR3IHQJGWGGTW')).toBe(
      'default/web:http/TCP\n' +
        '  nat/KUBE-SEP-CT7ZR3IHQJGWGGTW missing: packets for an endpoint are not translated to its address\n' +
        `    + ${DNAT}\n` +
        '\n' +
        '1 missing\n',
    )
  })

  it('prints missing, extra and reordered rules, and the family if there are several families', async () => {
    const text = (dumps['both.save'] ?? '')
      .replace('-A INPUT -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS\n', '')
      .replace(':KUBE-MARK-MASQ - [0:0]\n', ':KUBE-MARK-MASQ - [0:0]\n:KUBE-SVC-OLD - [0:0]\n')
      .replace(/(-A KUBE-POSTROUTING .* -j RETURN\n)(-A KUBE-POSTROUTING -j MARK .*\n)/, '$2$1')
    const { exitCode, stdout } = await verify(['-f', 'dual.json', '--dump', '-'], { stdin: text })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^shared by all service ports \(IPv4\)\n {2}filter\/INPUT missing: /)
    expect(stdout).toContain(
      '  nat/KUBE-SVC-OLD extra: kube-proxy would have removed this chain\n    - :KUBE-SVC-OLD - [0:0]\n',
    )
    expect(stdout).toMatch(/ {2}nat\/KUBE-POSTROUTING misplaced: [^\n]+\n {4}\+ -A KUBE-POSTROUTING [^\n]+\n/)
    expect(stdout).toMatch(/\n\n1 missing, 1 extra, 1 misplaced\n$/)
  })

  it('prints the repair commands with --script', async () => {
    const { exitCode, stdout } = await verify(['-f', 'web.json', '--dump', 'broken.save', '--script'])
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /\n\(\n# change rules\niptables-restore -w 5 --noflush <<'END' \|\| exit\n\*nat\n-I KUBE-SEP-\w+ 2 .*\nCOMMIT\nEND\n\)\n$/,
    )
    const legacy = ['--backend', 'legacy']
    expect((await verify(['-f', 'web.json', '--dump', 'broken.save', '--script', ...legacy])).stdout).toBe(stdout)
  })

  it('prints one JSON document with -o json', async () => {
    const { exitCode, stdout } = await verify(['-f', 'bad.json', '--dump', 'broken.save', '-o', 'json'])
    const document = JSON.parse(stdout)
    expect(exitCode).toBe(1)
    expect(document).toMatchObject({ schemaVersion: 1, mode: 'iptables' })
    expect(document.diagnostics).toContainEqual(expect.objectContaining({ code: 'invalidPort' }))
    expect(document.families).toHaveLength(1)
    expect(document.families[0]).toMatchObject({ family: 'IPv4', unverified: [], otherChains: [] })
    expect(document.families[0].drift).toMatchObject([
      { servicePort: 'default/web:http/TCP', drift: [{ subsystem: 'iptables', kind: 'missing' }] },
    ])
    expect(document.families[0].repair).toMatchObject([{ tool: 'iptables-restore' }])
  })

  it('keeps its exit code if the reader closes the pipe', async () => {
    const stdoutError = systemError('EPIPE', 'broken pipe')
    expect((await verify(['-f', 'web.json', '--dump', 'broken.save'], { stdoutError })).exitCode).toBe(1)
  })
})

describe('parts of a node that verify cannot check', () => {
  it('cause a warning for each family', async () => {
    const { exitCode, stderr } = await verify(['-f', 'dual.json', '--dump', 'both.save', '--family', '4'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const onlyFour = (dumps['both.save'] ?? '').replace(/# IPv6[\s\S]*/, '')
    expect(await verify(['-f', 'dual.json', '--dump', '-'], { stdin: onlyFour })).toEqual({
      exitCode: 3,
      stdout: 'not verified: IPv6 iptables\n',
      stderr: 'warning: IPv6 iptables not verified: the dump has no tables, as printed by iptables-save\n',
    })
  })

  it('include a table that is not in the dump', async () => {
    expect(await verify(['-f', 'web.json', '--dump', '-'], { stdin: withoutFilter() })).toEqual({
      exitCode: 3,
      stdout: 'not verified: IPv4 iptables filter\n',
      stderr: 'warning: IPv4 iptables filter not verified: the dump has no table filter\n',
    })
  })

  it('appear in the report in addition to drift', async () => {
    const stdin = withoutFilter().replace(/-A KUBE-MARK-MASQ .*\n/, '')
    const { exitCode, stdout } = await verify(['-f', 'web.json', '--dump', '-'], { stdin })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/\n\n1 missing; not verified: IPv4 iptables filter\n$/)
  })

  it('are reported as missing in a complete dump', async () => {
    const complete = ['-f', 'web.json', '--dump', '-', '--complete']
    expect(await verify(complete, { stdin: dumps['good.save'] ?? '' })).toMatchObject({ exitCode: 0, stderr: '' })
    const { exitCode, stdout, stderr } = await verify(complete, { stdin: withoutFilter() })
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: NEWEST })
    expect(stdout).toMatch(/^shared by all service ports\n {2}filter\/FORWARD missing: /)
    expect(stdout).toMatch(/\n\n\d+ missing\n$/)
    expect((await verify([...complete, '--script'], { stdin: withoutFilter() })).stdout).toContain('\n:KUBE-FORWARD ')
  })

  it('are all reported as missing if the dump is empty but complete', async () => {
    const { exitCode, stdout } = await verify(['-f', 'web.json', '--dump', 'empty.save', '--complete'])
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /no Service works: the nat table has no rules of kube-proxy\nwhy: .*\ndo:\n(?: {2}.*\n)+rule: missing: nat\/KUBE-SERVICES\n\nshared by all service ports\n/i,
    )
    expect((await verify(['-f', 'web.json', '--dump', 'empty.save'])).exitCode).toBe(2)
  })

  function withoutFilter(): string {
    return (dumps['good.save'] ?? '').replace(/\*filter[\s\S]*?COMMIT\n/, '')
  }

  it('cause exit code 2 with --strict', async () => {
    const stdin = (dumps['good.save'] ?? '').replace(/\*filter[\s\S]*?COMMIT\n/, '')
    expect(await verify(['-f', 'web.json', '--dump', '-', '--strict'], { stdin })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'warning: IPv4 iptables filter not verified: the dump has no table filter\n' +
        'error: nothing is printed, because --strict requires that all rules are verified\n',
    })
    expect((await verify(['-f', 'bad.json', '--dump', 'good.save', '--strict'])).exitCode).toBe(2)
    expect((await verify(['-f', 'web.json', '--dump', 'good.save', '--strict'])).exitCode).toBe(0)
  })

  it('include chains of other programs with names like those of Kubernetes', async () => {
    expect(await verify(['-f', 'web.json', '--dump', 'other.save'])).toEqual({
      exitCode: 0,
      stdout: 'no drift\n',
      stderr: 'warning: IPv4: ignored 1 KUBE- chain that no kube-proxy creates (-o json lists them)\n',
    })
  })
})

describe('verify in ipvs mode', () => {
  const mode = ['-f', 'web.json', '--mode', 'ipvs'] as const

  it('reads the dumps of several tools from one file or several files', async () => {
    const nothing = { exitCode: 0, stdout: 'no drift\n', stderr: '' }
    expect(await verify([...mode, '--dump', 'ipvs.all'])).toEqual(nothing)
    const files = ['ipvs.ipvs', 'ipvs.iptables', 'ipvs.ipset'].flatMap((file) => ['--dump', file])
    const { exitCode, stdout, stderr } = await verify([...mode, ...files])
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: 'not verified: IPv4 addresses\n' })
    expect(stderr).toMatch(/^warning: IPv4 addresses not verified: the dump has no addresses, [^\n]+\n$/)
  })

  it('prints the service port of entries and virtual servers', async () => {
    const stdin = (dumps['ipvs.all'] ?? '').replace(/^-a .*\n/m, '').replace(/^add KUBE-CLUSTER-IP .*\n/m, '')
    const { exitCode, stdout } = await verify([...mode, '--dump', '-'], { stdin })
    expect(exitCode).toBe(1)
    expect(stdout).toBe(
      'On node node-1, packets to default/web:http/TCP are never sent to 10.1.0.1:8080\n' +
        'why: Service default/web has that endpoint, but no rule on the node sends packets to it: kube-proxy did not write it, or it was deleted\n' +
        'do:\n' +
        '  1. Restart kube-proxy on node node-1. If it is a system service, restart that service on the node; if its pods have the label k8s-app=kube-proxy, run:\n' +
        '     kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=node-1\n' +
        '     then: the rules of the node match the objects\n' +
        '     impact: kube-proxy writes all its rules again, and existing connections continue; to check, repeat this kube-rules command with a new dump: it finds no differences\n' +
        '  2. If that does not help, take a new dump (kube-rules collect prints the command for the node), run kube-rules verify with the same objects, the new dump and the option --script, and run the printed commands as root on node node-1\n' +
        '     then: the rules of the node match the objects\n' +
        '     impact: the commands change only the rules that differ; they are not valid for other nodes\n' +
        'rule: missing: ipvs TCP 10.0.0.1:80 10.1.0.1:8080\n' +
        '\n' +
        'default/web:http/TCP\n' +
        '  ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80 missing: rules that match the set do not apply to this entry\n' +
        '    + add KUBE-CLUSTER-IP 10.0.0.1,tcp:80\n' +
        '  ipvs TCP 10.0.0.1:80 10.1.0.1:8080 missing: an endpoint gets no connections\n' +
        '    + -a -t 10.0.0.1:80 -r 10.1.0.1:8080 -m -w 1\n' +
        '\n' +
        '2 missing\n',
    )
  })

  it('rejects a dump without any state of the mode', async () => {
    const { exitCode, stderr } = await verify(['-f', 'web.json', '--dump', 'sets.save'])
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      'warning: IPv4 iptables not verified: the dump has no tables, as printed by iptables-save\n' +
        'error: the dump has no rules of iptables mode, but of ipvs mode\n',
    )
  })
})

describe('verify of one set', () => {
  it('verifies this set, and reports that everything else is not verified', async () => {
    const files = { 'part.txt': 'Name: KUBE-CLUSTER-IP\nType: hash:ip,port\nMembers:\n10.0.0.1,tcp:80\n' }
    const result = await verify(['-f', 'web.json', '--mode', 'ipvs', '--dump', 'part.txt'], {
      files: { ...objects, ...files },
    })
    expect(result.exitCode).toBe(3)
    expect(result.stdout).toMatch(/^not verified: IPv4 ipset, /)
  })

  it('rejects the dump if the set is a part', async () => {
    const files = { 'part.txt': 'Name: KUBE-CLUSTER-IP\nType: hash:ip,port\nMembers:\n10.0.0.1,tcp:80\n...\n' }
    const result = await verify(['-f', 'web.json', '--mode', 'ipvs', '--dump', 'part.txt'], {
      files: { ...objects, ...files },
    })
    expect(result.exitCode).toBe(2)
    expect(result.stderr).toMatch(/\nerror: no part of the dump is complete, so nothing is verified\n$/)
  })
})

describe('verify --family', () => {
  it('rejects a dump that has only rules of the other family', async () => {
    expect(await verify(['-f', 'web.json', '--dump', 'good.save', '--family', '6'])).toMatchObject({
      exitCode: 2,
      stderr:
        'warning: IPv6 iptables not verified: the dump has no tables, as printed by iptables-save\n' +
        'error: the dump has no IPv6 rules, but IPv4 rules\n',
    })
  })
})

describe('verify with invalid usage', () => {
  it.each([
    [['-f', 'web.json'], 'option --dump or --live is missing'],
    [['--dump', 'good.save'], 'option -f or --cluster is missing'],
    [['-f', 'web.json', '--dump', 'good.save', 'x'], 'unexpected argument x'],
    [['-f', '-', '--dump', '-'], 'standard input (-) can be read only once'],
    [['-f', 'web.json', '--dump', 'x', '--script', '-o', 'json'], 'option --script cannot be combined with -o json'],
  ])('exits with status 2 and prints one message for the arguments %j', async (args, message) => {
    const { exitCode, stdout, stderr } = await verify(args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toBe(`error: ${message}\nRun 'kube-rules verify --help' for help.\n`)
  })

  it.each([
    ['missing.save', 'error: missing.save: no such file or directory\n'],
    [
      'empty.save',
      'error: empty.save: empty: no rules at all, or not root? expected the output of iptables-save, ipset save, ipvsadm -Sn or nft list ruleset\n',
    ],
    [
      'wrong.save',
      'error: wrong.save:2:6: expected an option\n2 | -A A nonsense\n  |      ^\nerror: wrong.save: not a known dump format\n',
    ],
  ])('exits with status 2 and prints the problems of the dump %s', async (file, stderr) => {
    expect(await verify(['-f', 'web.json', '--dump', file])).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it('limits the number of error messages for one dump', async () => {
    const { stderr } = await verify(['-f', 'web.json', '--dump', '-'], { stdin: 'x\n'.repeat(50) })
    expect(stderr.split('\n')).toHaveLength(5 * 3 + 2 + 1)
    expect(stderr).toContain('… and 45 more errors\n')
  })
})
