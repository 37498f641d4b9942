import { printScript } from '@kube-rules/application/script'
import { describe, expect, it } from 'vitest'
import { clusterJson, configuration, listJson, node, service, slice } from '../support/objects.js'
import { run, type Sandbox, systemError } from '../support/run.js'

const web = service('web', ['10.0.0.1'])
const dual = service('dual', ['10.0.0.2', 'fd00::2'])
const bad = service('bad', ['10.0.0.3'], { ports: [{ name: 'http', port: 700000 }] })
const masqueradeAll = configuration({ iptables: { masqueradeAll: true } })

const files = {
  'old.json': clusterJson(web),
  'same.yaml': `# the same in other words\n${clusterJson(web)}`,
  'new.json': clusterJson(web, dual),
  'endpoint.json': clusterJson(web, slice('web', '10.1.0.1')),
  'bad.json': clusterJson(web, bad),
  'orphan.json': clusterJson(web, slice('gone', '10.1.0.9')),
  'd/node.json': listJson(node('node-1', ['192.168.0.2', 'fd00:1::2'])),
  'd/web.json': listJson(web),
  'two-nodes.json': listJson(web, node('node-1', []), node('node-2', [])),
  'config.json': JSON.stringify(configuration({ mode: 'iptables' })),
  'windows.json': JSON.stringify(configuration({ mode: 'kernelspace' })),
  'host.yaml': 'interfaces: []\niptablesRandomFully: false\n',
  'pod.json': JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }),
  'masquerade.json': clusterJson(web, slice('web', '10.1.0.1'), masqueradeAll),
}

const BAD_LINE =
  'Service default/bad: spec.ports[0].port: got 700000 (expected a whole number from 1 to 65535) [invalidPort]'

/** The script from `old.json` to `new.json`: it rejects a Service without endpoints, in each family. */
const ADD_DUAL = scriptOf(addRun('iptables', '10.0.0.2'), addRun('ip6tables', 'fd00::2'))

function addRun(tool: string, address: string): string {
  return (
    `# change rules\n${tool}-restore -w 5 --noflush <<'END' || exit\n*filter\n` +
    `-I KUBE-SERVICES 1 -m comment --comment "default/dual:http has no endpoints" -m tcp -p tcp -d ${address} --dport 80 -j REJECT\n` +
    'COMMIT\nEND\n'
  )
}

function scriptOf(...runs: readonly string[]): string {
  return `#!/bin/sh\n# Stops at the first command that fails.\n(\n${runs.join('\n')})\n`
}

function purposesOf(script: string): readonly string[] {
  return Array.from(script.matchAll(/^# (.*)$/gm), ([, purpose = '']) => purpose).slice(1)
}

const diff = (args: readonly string[], sandbox: Sandbox = {}) => run(['diff', ...args], { files, ...sandbox })

describe('diff', () => {
  it('prints nothing and exits with 0 if the rules are equal', async () => {
    const nothing = { exitCode: 0, stdout: '', stderr: '' }
    expect(await diff(['old.json', 'old.json'])).toEqual(nothing)
    expect(await diff(['old.json', 'same.yaml'])).toEqual(nothing)
    expect(await diff(['old.json', 'd'])).toEqual(nothing)
    expect(await diff(['old.json', 'old.json', '--stat'])).toEqual(nothing)
  })

  it('prints the commands to run, for both families, and exits with 1', async () => {
    expect(await diff(['old.json', 'new.json'])).toEqual({ exitCode: 1, stdout: ADD_DUAL, stderr: '' })
    expect(await diff(['d', 'new.json'])).toEqual({ exitCode: 1, stdout: ADD_DUAL, stderr: '' })
    expect(await diff(['d', 'new.json', '--family', 'both'])).toEqual({ exitCode: 1, stdout: ADD_DUAL, stderr: '' })
  })

  it('prints only the requested family', async () => {
    expect((await diff(['old.json', 'new.json', '--family', '4'])).stdout).toBe(
      scriptOf(addRun('iptables', '10.0.0.2')),
    )
    expect((await diff(['old.json', 'new.json', '--family', '6'])).stdout).toBe(
      scriptOf(addRun('ip6tables', 'fd00::2')),
    )
  })

  it('reads one of the two inputs from standard input', async () => {
    const stdin = clusterJson(web, dual)
    expect((await diff(['old.json', '-'], { stdin })).stdout).toBe(ADD_DUAL)
    expect((await diff(['-', 'new.json'], { stdin })).exitCode).toBe(0)
  })

  it('reads the configuration once for both inputs, even from standard input', async () => {
    const stdin = JSON.stringify(masqueradeAll)
    expect(await diff(['endpoint.json', 'masquerade.json', '--config', '-'], { stdin })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })

  it('reports a configuration change among the objects as a difference', async () => {
    const { exitCode, stdout } = await diff(['endpoint.json', 'masquerade.json', '--family', '4'])
    expect(exitCode).toBe(1)
    expect(stdout.split('\n').filter((line) => /^-[AIRD]/.test(line))).toEqual([
      expect.stringMatching(/^-I KUBE-SVC-\w+ 1 .*"default\/web:http cluster IP" .* -j KUBE-MARK-MASQ$/),
    ])
  })

  it('lists the conntrack entries to delete', async () => {
    const dns = service('dns', ['10.0.0.53'], { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] })
    const { exitCode, stdout } = await diff(['old.json', '-'], { stdin: clusterJson(web, dns) })
    expect(exitCode).toBe(1)
    expect(stdout).not.toContain('conntrack -D')
    const back = await diff(['-', 'old.json'], { stdin: clusterJson(web, dns) })
    expect(back.stdout).toContain(
      '\n# delete stale connections; also fails if there is nothing to do\n' +
        'conntrack -D --orig-dst 10.0.0.53 -p udp </dev/null || case $? in 1) ;; *) exit ;; esac\n',
    )
  })

  it('changes no rule of other Services if the cluster gets more than 1,000 endpoints, like kube-proxy', async () => {
    const addresses = Array.from({ length: 999 }, (_, index) => `10.1.${index >> 8}.${index & 255}`)
    const many = { ...slice('web', ''), endpoints: addresses.map((address) => ({ addresses: [address] })) }
    const other = service('other', ['10.0.0.9'])
    const cluster = (...added: object[]) => clusterJson(web, many, other, slice('other', '10.2.0.1'), ...added)
    const last = service('last', ['10.0.0.8'])
    const large = { 'old.json': cluster(), 'new.json': cluster(last, slice('last', '10.3.0.1')) }
    const { stdout } = await run(['diff', 'old.json', 'new.json', '--family', '4'], { files: large })
    const addressesOf = (text: string) => new Set(text.match(/10\.\d+\.\d+\.\d+/g))
    expect(addressesOf(stdout)).toEqual(new Set(['10.0.0.8', '10.3.0.1']))
    // The rules of the new cluster alone have no comments of endpoints.
    expect((await run(['print', '-f', 'new.json', '--family', '4'], { files: large })).stdout).not.toContain(
      '--comment default/other:http -s',
    )
  })

  it('compiles the rules for --node, --host and --kubernetes-version', async () => {
    const args = ['two-nodes.json', 'two-nodes.json', '--kubernetes-version', '1.30', '--host', 'host.yaml']
    const { exitCode, stderr } = await diff([...args, '--node', 'node-2'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const unknown = await diff(['old.json', 'old.json', '--kubernetes-version', '1.2'])
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' })
    expect(unknown.stderr).toContain('"1.2" is not a supported version of Kubernetes')
  })

  it('prints commands for the iptables version that --backend selects', async () => {
    const services = Array.from({ length: 1300 }, (_, index) =>
      service(`s-${index}`, [`10.2.${index >> 8}.${index & 255}`]),
    )
    const slices = services.map((_, index) => slice(`s-${index}`, `10.3.${index >> 8}.${index & 255}`))
    const stdin = clusterJson(web, ...services, ...slices)
    const runsOf = async (backend: readonly string[]) => {
      const { stdout } = await diff(['old.json', '-', '--family', '4', ...backend], { stdin })
      return purposesOf(stdout)
    }
    const staged = ['create chains that are not referenced yet', 'switch to the new chains']
    expect(await runsOf([])).toEqual(staged)
    expect(await runsOf(['--backend', 'nft'])).toEqual(staged)
    expect(await runsOf(['--backend', 'legacy'])).toEqual(['change rules'])
  })
})

describe('diff in ipvs mode', () => {
  const before = clusterJson(web, slice('web', '10.1.0.1'))
  const after = clusterJson(web, slice('web', '10.1.0.2'), configuration({ mode: 'ipvs' }))

  it('prints the input of each tool below its command', async () => {
    const { exitCode, stdout } = await diff(['endpoint.json', '-', '--mode', 'ipvs'], {
      stdin: clusterJson(web, dual, slice('web', '10.1.0.1')),
    })
    expect(exitCode).toBe(1)
    const commands = stdout.split('\n').filter((line) => line.endsWith(" <<'END' || exit"))
    // Rules that use the cluster IP set exist only if a family has cluster IPs: in IPv6 this is the first one.
    const tools = ['ipset', 'ipvsadm', 'ip', 'ipset', 'ipvsadm', 'ip', 'ip6tables-restore']
    expect(commands.map((line) => line.split(' ')[0])).toEqual(tools)
    expect(stdout).toContain('\nadd KUBE-CLUSTER-IP 10.0.0.2,tcp:80\n')
    expect(stdout).toContain('\n-A -t 10.0.0.2:80 -s rr\n')
    expect(stdout).toContain('\n-A -t [fd00::2]:80 -s rr\n')
    expect(stdout).toContain('\naddress add 10.0.0.2/32 dev kube-ipvs0\n')
  })

  it('prints the setup of the new mode before the removal of the old mode', async () => {
    const { exitCode, stdout } = await diff(['old.json', '-', '--family', '4'], { stdin: after })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^[^(]*\(\n# .*\nipset restore /)
    expect(stdout.indexOf('-A -t 10.0.0.1:80 -s rr\n')).toBeLessThan(stdout.indexOf('-X KUBE-EXTERNAL-SERVICES\n'))
  })

  it('prints a summary by service port', async () => {
    const args = ['endpoint.json', '-', '--mode', 'ipvs', '--stat']
    const moved = clusterJson(web, slice('web', '10.1.0.2'))
    expect((await diff(args, { stdin: moved })).stdout).toBe('+1 -1 endpoints default/web:http\n')
    expect(await diff(args, { stdin: before })).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })
})

describe('diff -o json', () => {
  it('prints patch, commands and diagnostics in one document', async () => {
    const { exitCode, stdout, stderr } = await diff(['old.json', 'new.json', '-o', 'json'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    const document = JSON.parse(stdout)
    expect(Object.keys(document)).toEqual(['schemaVersion', 'kind', 'patch', 'commands', 'assumed', 'diagnostics'])
    expect(document.schemaVersion).toBe(1)
    expect(document.patch.families).toMatchObject([
      { family: 'IPv4', patch: { changes: [{ kind: 'edit' }] }, staleConnections: [] },
      { family: 'IPv6', patch: { changes: [{ kind: 'edit' }] }, staleConnections: [] },
    ])
    expect(printScript(document.commands)).toBe(ADD_DUAL)
  })

  it('prints a document without changes if the rules are equal', async () => {
    const { exitCode, stdout } = await diff(['old.json', 'old.json', '-o', 'json'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, patch: { families: [] }, commands: [] })
  })

  it('contains the errors of OLD and all diagnostics of NEW', async () => {
    const stdin = clusterJson(web, bad, slice('gone', '10.1.0.9'))
    const old = JSON.parse((await diff(['-', 'old.json', '-o', 'json'], { stdin })).stdout)
    const ofOld = old.diagnostics.filter(({ input }: { input: string }) => input === 'old')
    expect(ofOld).toMatchObject([{ severity: 'error', code: 'invalidPort', path: 'spec.ports[0].port' }])
    const fresh = JSON.parse((await diff(['old.json', '-', '-o', 'json'], { stdin })).stdout)
    const codes = fresh.diagnostics.map(({ code, input }: { code: string; input: string }) => `${input} ${code}`)
    expect(codes).toEqual(expect.arrayContaining(['new invalidPort', 'new orphanSlice']))
  })
})

describe('messages of diff', () => {
  it('list the errors of both inputs, each with its file', async () => {
    const stdin = clusterJson(web, bad)
    const { exitCode, stdout, stderr } = await diff(['bad.json', '-'], { stdin })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toBe(`error: bad.json: ${BAD_LINE}\nerror: standard input: ${BAD_LINE}\n`)
  })

  it('list the warnings only for NEW', async () => {
    const stdin = clusterJson(service('web', ['10.0.0.1'], { externalIPs: ['x'] }))
    const asNew = await diff(['old.json', '-'], { stdin })
    expect(asNew.stderr).toMatch(/^warning: standard input: Service default\/web: .*\n$/)
    const asOld = await diff(['-', 'old.json'], { stdin })
    expect(asOld.stderr).toBe('')
  })

  it('count the suppressed messages for each input', async () => {
    const many = Array.from({ length: 22 }, (_, index) =>
      service(`bad-${index}`, ['10.0.0.3'], { ports: [{ port: -1 }] }),
    )
    const { stderr } = await diff(['old.json', '-'], { stdin: clusterJson(web, ...many) })
    expect(stderr).toMatch(/\n… and 2 more of invalidPort in standard input \(-o json shows all\)\n$/)
  })

  it('have color only in the first word', async () => {
    const { stderr } = await diff(['bad.json', 'old.json'], { stderrIsTTY: true })
    expect(stderr).toBe(`\u001b[31merror:\u001b[39m bad.json: ${BAD_LINE}\n`)
    const plain = await diff(['bad.json', 'old.json', '--no-color'], { stderrIsTTY: true })
    expect(plain.stderr).toBe(`error: bad.json: ${BAD_LINE}\n`)
  })

  it.each([
    ['OLD', ['bad.json', 'new.json'], `error: bad.json: ${BAD_LINE}\n`, '1 error'],
    ['NEW', ['old.json', 'bad.json'], `error: bad.json: ${BAD_LINE}\n`, '1 error'],
    ['both', ['bad.json', 'bad.json'], `error: bad.json: ${BAD_LINE}\n`.repeat(2), '2 errors'],
  ])('are the only output with --strict after an error in %s', async (_, args, lines, count) => {
    const stderr = `${lines}error: nothing is printed, because of --strict and ${count}\n`
    expect(await diff([...args, '--strict'])).toEqual({ exitCode: 2, stdout: '', stderr })
    expect(await diff([...args, '--strict', '-o', 'json'])).toEqual({ exitCode: 2, stdout: '', stderr })
  })

  it('do not change the output with --strict if the input is valid', async () => {
    expect((await diff(['old.json', 'new.json', '--strict'])).stdout).toBe(ADD_DUAL)
  })
})

describe('diff with unusable input', () => {
  it.each([
    [['missing.json', 'old.json'], 'missing.json: no such file or directory'],
    [['old.json', 'missing.json'], 'missing.json: no such file or directory'],
    [
      ['old.json', 'pod.json'],
      'pod.json: expected a valid Service, EndpointSlice, Endpoints, Node, ServiceCIDR or KubeProxyConfiguration',
    ],
    [['old.json', 'new.json', '--config', 'pod.json'], 'pod.json: no KubeProxyConfiguration in it'],
  ])('exits with status 2 and prints one message for the arguments %j', async (args, message) => {
    expect(await diff(args)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` })
  })

  it('rejects an invalid configuration', async () => {
    const { exitCode, stdout, stderr } = await diff(['old.json', 'new.json', '--config', 'windows.json'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/\nerror: nothing is printed, because the configuration is invalid\n$/)
  })
})

describe('diff with an invalid command line', () => {
  it.each([
    [[], 'OLD and NEW are required'],
    [['old.json'], 'OLD and NEW are required'],
    [['old.json', 'new.json', 'same.yaml'], 'unexpected argument same.yaml'],
    [['-', '-'], 'standard input (-) can be read only once'],
    [['-', 'new.json', '--config', '-'], 'standard input (-) can be read only once'],
    [['old.json', 'new.json', '--config', '-', '--host', '-'], 'standard input (-) can be read only once'],
    [['old.json', 'new.json', '--stat', '-o', 'json'], 'option --stat cannot be combined with -o json'],
    [['old.json', 'new.json', '--format', 'save'], 'unknown option --format'],
    [['-f', 'old.json', 'new.json'], 'unknown option -f'],
    [['old.json', 'new.json', '--family', '5'], 'option --family is 5; expected 4, 6, both'],
    [['old.json', 'new.json', '--backend', 'x'], 'option --backend is x; expected nft, legacy'],
  ])('exits with status 2 and prints one message for the arguments %j', async (args, message) => {
    const stderr = `error: ${message}\nRun 'kube-rules diff --help' for help.\n`
    expect(await diff(args)).toEqual({ exitCode: 2, stdout: '', stderr })
  })
})

describe('diff into a pipe', () => {
  it('exits with 1 for a difference if the reader closes the pipe', async () => {
    const stdoutError = systemError('EPIPE', 'broken pipe')
    expect(await diff(['old.json', 'new.json'], { stdoutError })).toEqual({ exitCode: 1, stdout: '', stderr: '' })
  })

  it('exits with 2 if the output cannot be written', async () => {
    const stdoutError = systemError('ENOSPC', 'no space left on device')
    const stderr = 'error: cannot write the output: no space left on device\n'
    expect(await diff(['old.json', 'new.json'], { stdoutError })).toEqual({ exitCode: 2, stdout: '', stderr })
  })
})
