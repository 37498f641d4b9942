import { describe, expect, it } from 'vitest'
import { clusterJson, configuration, listJson, node, service, slice } from '../support/objects.js'
import { run, type Sandbox, systemError } from '../support/run.js'

const web = service('web', ['10.0.0.1'])
const dual = service('dual', ['10.0.0.2', 'fd00::2'])
const single6 = service('six', ['fd00::6'])
const bad = service('bad', ['10.0.0.3'], { ports: [{ name: 'http', port: 700000 }] })

/** Returns the rule for a service port without endpoints. */
const rejected = (name: string, address: string) =>
  `-A KUBE-SERVICES -m comment --comment "default/${name}:http has no endpoints" -m tcp -p tcp -d ${address} --dport 80 -j REJECT\n`

const BAD_LINE =
  'error: Service default/bad: spec.ports[0].port: got 700000 (expected a whole number from 1 to 65535) [invalidPort]\n'

const print = (args: readonly string[], sandbox: Sandbox = {}) => run(['print', ...args], sandbox)

describe('--format script', () => {
  const objects = clusterJson(web)

  it('prints a script for both families that includes the jumps from built-in chains', async () => {
    const { exitCode, stdout } = await run(['print', '-f', '-', '--format', 'script'], { stdin: objects })
    expect(exitCode).toBe(0)
    expect(stdout.split('\n').slice(0, 3)).toEqual(['#!/bin/sh', '# Stops at the first command that fails.', '('])
    for (const tool of ['iptables', 'ip6tables']) {
      expect(stdout).toContain(
        `\n${tool} -w 5 -t nat -C PREROUTING -m comment --comment 'kubernetes service portals' -j KUBE-SERVICES </dev/null >/dev/null 2>&1 ||\n` +
          `${tool} -w 5 -t nat -I PREROUTING -m comment --comment 'kubernetes service portals' -j KUBE-SERVICES </dev/null || exit\n`,
      )
    }
    const single = await run(['print', '-f', '-', '--format', 'script', '--family', '6'], { stdin: objects })
    expect(single.stdout).not.toMatch(/^iptables/m)
  })

  it.each([
    [['-o', 'json'], 'option --format script cannot be combined with -o json'],
    [['--mode', 'ipvs', '--subsystem', 'ipset'], 'options --format script and --subsystem cannot be combined'],
  ])('rejects %s', async (args, message) => {
    const { exitCode, stderr } = await run(['print', '-f', '-', '--format', 'script', ...args], { stdin: objects })
    expect([exitCode, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`])
  })
})

describe('print', () => {
  it('reads standard input and prints only the rules', async () => {
    const { exitCode, stdout, stderr } = await print(['-f', '-'], { stdin: clusterJson(web) })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^\*filter\n/)
    expect(stdout).toContain(rejected('web', '10.0.0.1'))
    expect(stdout).toMatch(/\nCOMMIT\n$/)
  })

  it('reads directories and files of YAML and JSON, and prints the same rules in any order', async () => {
    const files = {
      'd/a.yaml': `---\n${JSON.stringify(web)}\n---\n${JSON.stringify(dual)}\n`,
      'b.json': JSON.stringify(slice('web', '10.1.0.1')),
    }
    const one = await print(['-f', 'd', '-f', 'b.json'], { files })
    const other = await print(['-f', 'b.json', '-f', 'd/a.yaml'], { files })
    expect(one.exitCode).toBe(0)
    expect(one.stdout).toContain('--to-destination 10.1.0.1:8080')
    expect(one.stdout).toContain(rejected('dual', '10.0.0.2'))
    expect(other.stdout).toBe(one.stdout)
  })

  it('sends traffic with policy Local only to endpoints of --node', async () => {
    const local = service('web', ['10.0.0.1'], { internalTrafficPolicy: 'Local' })
    const stdin = listJson(local, slice('web', '10.1.0.1'), node('node-1', []), node('node-2', []))
    const here = await print(['-f', '-', '--node', 'node-1'], { stdin })
    const elsewhere = await print(['-f', '-', '--node', 'node-2'], { stdin })
    expect(here.stdout).toContain('--to-destination 10.1.0.1:8080')
    expect(elsewhere.stdout).not.toContain('--to-destination')
  })

  it('prints the rules in the format of --format and for the back end of --backend', async () => {
    const stdin = clusterJson(web)
    const { stdout } = await print(['-f', '-', '--format', 'save'], { stdin })
    expect(stdout).toContain('-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp ')
    const legacy = await print(['-f', '-', '--format', 'save', '--backend', 'legacy'], { stdin })
    expect(legacy.stdout).toContain('-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp ')
    expect(legacy.exitCode).toBe(0)
  })
})

describe('print --family', () => {
  const stdin = clusterJson(web, dual)

  it('prints one family by default, and warns about the omitted family', async () => {
    const { stdout, stderr } = await print(['-f', '-'], { stdin })
    expect(stdout).toContain(rejected('dual', '10.0.0.2'))
    expect(stdout).not.toContain('fd00::')
    expect(stderr).toBe('warning: IPv4 rules only; --family both adds those of 1 Service\n')
  })

  it('prints IPv6 by default if only IPv6 is used', async () => {
    const { stdout, stderr } = await print(['-f', '-'], { stdin: clusterJson(single6) })
    expect(stdout).toContain(rejected('six', 'fd00::6'))
    expect(stderr).toBe('')
  })

  it('prints the requested family, without a note', async () => {
    const four = await print(['-f', '-', '--family', '4'], { stdin })
    expect(four.stdout).not.toContain('fd00::')
    expect(four.stderr).toBe('')
    const six = await print(['-f', '-', '--family', '6'], { stdin })
    expect(six.stdout).toContain(rejected('dual', 'fd00::2'))
    expect(six.stdout).not.toContain('10.0.0.')
  })

  it('prints both families with --family both, each below a comment line', async () => {
    const both = await print(['-f', '-', '--family', 'both'], { stdin })
    const four = await print(['-f', '-', '--family', '4'], { stdin })
    const six = await print(['-f', '-', '--family', '6'], { stdin })
    expect(both.stdout).toBe(`# IPv4\n${four.stdout}# IPv6\n${six.stdout}`)
  })
})

describe('print with an invalid object', () => {
  const stdin = clusterJson(bad, web)

  it('reports the object, and prints only the rules of other objects', async () => {
    const { exitCode, stdout, stderr } = await print(['-f', '-'], { stdin })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: BAD_LINE })
    expect(stdout).toContain(rejected('web', '10.0.0.1'))
    expect(stdout).not.toContain('default/bad')
  })

  it('prints nothing with --strict', async () => {
    const stderr = `${BAD_LINE}error: nothing is printed, because of --strict and 1 error\n`
    expect(await print(['-f', '-', '--strict'], { stdin })).toEqual({ exitCode: 2, stdout: '', stderr })
    expect(await print(['-f', '-', '--strict', '-o', 'json'], { stdin })).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it('prints the rules with --strict if the input is valid', async () => {
    expect(await print(['-f', '-', '--strict'], { stdin: clusterJson(web) })).toMatchObject({
      exitCode: 0,
      stderr: '',
    })
  })

  it('prints nothing if no valid object is left', async () => {
    const { exitCode, stdout, stderr } = await print(['-f', '-'], { stdin: listJson(bad) })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^error: Service default\/bad: .*\nerror: standard input: expected a valid Service.*\n$/)
  })

  it('prints 20 messages per code, and the number of the remaining messages', async () => {
    const many = Array.from({ length: 25 }, (_, index) =>
      service(`bad-${index}`, ['10.0.0.3'], { ports: [{ port: -1 }] }),
    )
    const { stderr } = await print(['-f', '-'], { stdin: clusterJson(web, ...many) })
    expect(stderr.split('\n')).toHaveLength(22)
    expect(stderr).toMatch(/\n… and 5 more of invalidPort \(-o json shows all\)\n$/)
  })

  it('escapes a hostile name in messages, and omits the object with this name', async () => {
    const hostile = service('x\n-A INPUT -j ACCEPT\u001b[2J', ['10.0.0.4'])
    const { exitCode, stdout, stderr } = await print(['-f', '-'], { stdin: clusterJson(hostile, web) })
    expect(exitCode).toBe(0)
    expect(stdout).not.toContain('INPUT -j ACCEPT')
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .every((line) => line.startsWith('error: Service default/x\\u000a')),
    ).toBe(true)
    expect(stderr).not.toContain('\u001b')
  })
})

describe('print with a configuration', () => {
  const masqueradeAll = configuration({ iptables: { masqueradeAll: true, masqueradeBit: 5 } })
  const files = {
    'web.json': clusterJson(web, configuration({ iptables: { masqueradeBit: 6 } })),
    'config.json': JSON.stringify(masqueradeAll),
    'bad.json': JSON.stringify(configuration({ clusterCIDR: 'x' })),
    'windows.json': JSON.stringify(configuration({ mode: 'kernelspace' })),
    'iptables.json': JSON.stringify(configuration({ mode: 'iptables' })),
  }

  it('uses the file of --config in preference to the configuration among the objects', async () => {
    const among = await print(['-f', 'web.json'], { files })
    expect(among.stdout).toContain('-A KUBE-MARK-MASQ -j MARK --or-mark 0x00000040\n')
    const given = await print(['-f', 'web.json', '--config', 'config.json'], { files })
    expect(given.stdout).toContain('-A KUBE-MARK-MASQ -j MARK --or-mark 0x00000020\n')
  })

  it('uses --mode instead of the mode in the configuration', async () => {
    const args = ['-f', 'web.json', '--config', 'windows.json']
    expect(await print(args, { files })).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await print([...args, '--mode', 'iptables'], { files })).toMatchObject({ exitCode: 0 })
  })

  it('rejects an invalid configuration that only the compiler detects', async () => {
    for (const config of ['bad.json', 'windows.json']) {
      const { exitCode, stdout, stderr } = await print(['-f', 'web.json', '--config', config], { files })
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
      expect(stderr).toMatch(
        /^error: KubeProxyConfiguration .*\nerror: nothing is printed, because the configuration is invalid\n$/,
      )
    }
  })

  it('rejects an unknown version in --kubernetes-version', async () => {
    const { exitCode, stdout, stderr } = await print(['-f', 'web.json', '--kubernetes-version', '1.2'], { files })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain('"1.2" is not a supported version of Kubernetes')
  })
})

describe('print -o json', () => {
  it('prints one document with both families and all diagnostics', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' } }
    const stdin = clusterJson(web, bad, pod)
    const { exitCode, stdout, stderr } = await print(['-f', '-', '-o', 'json'], { stdin })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: BAD_LINE })
    const four = await print(['-f', '-', '--family', '4'], { stdin })
    const document = JSON.parse(stdout)
    expect(Object.keys(document)).toEqual([
      'schemaVersion',
      'kind',
      'mode',
      'kubernetesVersion',
      'families',
      'assumed',
      'diagnostics',
    ])
    expect(document).toMatchObject({
      schemaVersion: 1,
      kind: 'print',
      mode: 'iptables',
      families: [{ family: 'IPv4' }, { family: 'IPv6' }],
    })
    expect(document.families[0].text).toBe(four.stdout)
    expect(document.diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'invalidPort', path: 'spec.ports[0].port' }),
    )
    expect(document.diagnostics).toContainEqual(expect.objectContaining({ severity: 'info', code: 'unknownKind' }))
  })

  it('contains the requested families, with their counts and health-check ports', async () => {
    const external = service('web', ['10.0.0.1'], {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 32000,
    })
    const stdin = clusterJson(external, slice('web', '10.1.0.1'))
    const { stdout } = await print(['-f', '-', '-o', 'json', '--family', '4'], { stdin })
    const { families } = JSON.parse(stdout)
    expect(families).toHaveLength(1)
    expect(families[0]).toMatchObject({
      family: 'IPv4',
      healthCheckNodePorts: [{ namespace: 'default', name: 'web', port: 32000, localEndpoints: 1 }],
      counts: { servicePorts: 1, endpoints: 1 },
    })
    expect(Object.keys(families[0].counts)).toEqual(['servicePorts', 'endpoints', 'chains', 'rules'])
  })
})

describe('print with unusable input', () => {
  const files = {
    'empty.yaml': '',
    'comment.yaml': '# later\n',
    'truncated.yaml': 'kind: Service\nmetadata: {name: "x',
    'truncated.json': '{"kind": "List", "items": [{"kind": "Ser',
    'text.yaml': 'hello',
    'pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n',
    'list.json': '{"kind": "List", "apiVersion": "v1", "items": []}',
    'good.json': clusterJson(web),
    'd/notes.txt': '',
  }

  it.each([
    [['-f', 'missing.yaml'], 'missing.yaml: no such file or directory'],
    [['-f', 'empty.yaml'], 'empty.yaml: empty'],
    [['-f', 'comment.yaml'], 'comment.yaml: empty'],
    [['-f', '-'], 'standard input: empty'],
    [
      ['-f', 'truncated.yaml'],
      'truncated.yaml: document 1, line 2, column 20: unexpected end of the stream within a double quoted scalar',
    ],
    [
      ['-f', 'truncated.json'],
      'truncated.json: not JSON: document 1, line 1, column 37: the bracket or quote is not closed',
    ],
    [['-f', 'text.yaml'], 'text.yaml: expected a Kubernetes object, got a string'],
    [
      ['-f', 'pod.yaml'],
      'pod.yaml: expected a valid Service, EndpointSlice, Endpoints, Node, ServiceCIDR or KubeProxyConfiguration',
    ],
    [
      ['-f', 'list.json', '-f', 'pod.yaml'],
      'list.json, pod.yaml: expected a valid Service, EndpointSlice, Endpoints, Node, ServiceCIDR or KubeProxyConfiguration',
    ],
    [['-f', 'd'], 'd: no .yaml, .yml or .json file in this directory'],
    [['-f', 'good.json', '-f', 'missing.yaml'], 'missing.yaml: no such file or directory'],
    [['-f', 'good.json', '-f', 'empty.yaml'], 'empty.yaml: empty'],
    [['-f', 'good.json', '--config', 'missing.yaml'], 'missing.yaml: no such file or directory'],
    [['-f', 'good.json', '--config', 'pod.yaml'], 'pod.yaml: no KubeProxyConfiguration in it'],
  ])('exits with status 2 and prints one message for the arguments %j', async (args, message) => {
    expect(await print(args, { files })).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` })
  })
})

describe('print with an invalid command line', () => {
  it.each([
    [[], 'option -f or --cluster is missing'],
    [['a.yaml'], 'unexpected argument a.yaml; objects are given with -f: -f a.yaml'],
    [['-f', '-', '-f', '-'], 'standard input (-) can be read only once'],
    [['-f'], 'option -f needs a value'],
    [['-f', '-', '--frob'], 'unknown option --frob'],
    [
      ['-f', '-', '--mode', 'kernelspace'],
      'option --mode is kernelspace; expected iptables, ipvs, nftables, userspace',
    ],
    [['-f', '-', '--family', '5'], 'option --family is 5; expected 4, 6, both'],
    [['-f', '-', '--format', 'x'], 'option --format is x; expected restore, save, listing, script'],
    [['-f', '-', '--backend', 'x'], 'option --backend is x; expected nft, legacy'],
    [['-f', '-', '-o', 'yaml'], 'option -o is yaml; expected text, json'],
    [['-f', '-', '--node', ''], 'option --node needs a value'],
    [['-f', '-', '--strict=1'], 'option --strict takes no value'],
  ])('exits with status 2 and prints one message for the arguments %j', async (args, message) => {
    const stderr = `error: ${message}\nRun 'kube-rules print --help' for help.\n`
    expect(await print(args)).toEqual({ exitCode: 2, stdout: '', stderr })
  })
})

describe('colors in messages of print', () => {
  const stdin = clusterJson(bad, dual)
  const red = '\u001b[31merror:\u001b[39m Service default/bad'
  const yellow = '\u001b[33mwarning:\u001b[39m IPv4 rules only'

  it('are used on a terminal', async () => {
    const { stderr, stdout } = await print(['-f', '-'], { stdin, stderrIsTTY: true })
    expect(stderr).toContain(red)
    expect(stderr).toContain(yellow)
    expect(stdout).not.toContain('\u001b')
    const { stderr: usage } = await print([], { stderrIsTTY: true })
    expect(usage).toContain('\u001b[31merror:\u001b[39m option -f or --cluster is missing')
  })

  it('are used if NO_COLOR is empty', async () => {
    expect((await print(['-f', '-'], { stdin, stderrIsTTY: true, env: { NO_COLOR: '' } })).stderr).toContain(red)
  })

  it.each([
    ['without a terminal', ['-f', '-'], {}],
    ['with NO_COLOR', ['-f', '-'], { stderrIsTTY: true, env: { NO_COLOR: '1' } }],
    ['with --no-color', ['-f', '-', '--no-color'], { stderrIsTTY: true }],
    ['on a dumb terminal', ['-f', '-'], { stderrIsTTY: true, env: { TERM: 'dumb' } }],
  ])('are not used %s', async (_, args, sandbox) => {
    expect((await print(args, { stdin, ...sandbox })).stderr).not.toContain('\u001b')
  })
})

describe('print into a closed pipe', () => {
  it('exits with 0 and no message', async () => {
    const stdoutError = systemError('EPIPE', 'broken pipe')
    expect(await print(['-f', '-'], { stdin: clusterJson(web), stdoutError })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })
})
