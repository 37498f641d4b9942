import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'
import { findProgram, SHELLS } from '../support/shells.js'

const directory = mkdtempSync(join(tmpdir(), 'collect-'))
afterAll(() => rmSync(directory, { recursive: true }))

const objects = clusterJson(
  service('web', ['10.0.0.1']),
  slice('web', '10.1.0.1'),
  configuration({ clusterCIDR: '10.1.0.0/16', mode: 'iptables' }),
)

// Only these tools of the machine are available to the tested command.
function installFromMachine(tool: string): void {
  symlinkSync(findProgram(tool) ?? tool, join(directory, tool))
}
installFromMachine('sh')
installFromMachine('cat')

/** Installs a fake node command that prints a text. */
function install(name: string, text: string): void {
  writeFileSync(join(directory, `${name}.text`), text)
  writeFileSync(join(directory, name), `#!/bin/sh\ncat ${join(directory, `${name}.text`)}\n`)
  chmodSync(join(directory, name), 0o755)
}

/** Installs a fake nft that lists these tables, and prints each of them with the given content. */
function installTables(tables: readonly string[], content = ''): void {
  writeFileSync(join(directory, 'tables.text'), tables.map((table) => `${table}\n`).join(''))
  writeFileSync(join(directory, 'content.text'), content)
  const [list, inner] = [join(directory, 'tables.text'), join(directory, 'content.text')]
  writeFileSync(
    join(directory, 'nft'),
    `#!/bin/sh\n[ "$2" = tables ] && exec cat ${list}\nprintf "table $3 $4 {\\n"; cat ${inner}; printf "}\\n"\n`,
  )
  chmodSync(join(directory, 'nft'), 0o755)
}

/** Writes a file of the kernel, such as `proc/sys/net/ipv4/ip_forward`. */
function writeKernelFile(path: string, text: string): void {
  mkdirSync(join(directory, dirname(path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

/** Runs a script from standard input with the installed tools and files of the kernel, as `ssh root@node sh` does. */
function execute(script: string, [shell, ...args]: readonly [string, ...string[]] = ['/bin/sh']) {
  const input = script.replace(/(?<!\w)\/(?=(?:proc|sys)\/)/g, `${directory}/`)
  const { status, stdout, stderr } = spawnSync(shell, args, { input, env: { PATH: directory }, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Runs the script in every shell, and returns its output, which is the same in each of them. */
async function collected(...options: readonly string[]): Promise<string> {
  const { stdout, stderr } = await collectedWithErrors(...options)
  expect(stderr).toBe('')
  return stdout
}

async function collectedWithErrors(...options: readonly string[]) {
  const script = await collect(...options)
  const [first, ...others] = SHELLS.map((shell) => execute(script, shell))
  expect(first?.status).toBe(0)
  for (const other of others) expect(other).toEqual(first)
  return first ?? { stdout: '', stderr: '' }
}

async function collect(...options: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(['collect', ...options])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

describe('collect', () => {
  it('prints a script, and rejects operands', async () => {
    expect(await collect()).toMatch(/^#!\/bin\/sh\n/)
    expect(await run(['collect', 'node-1'])).toMatchObject({ exitCode: 2, stdout: '' })
  })

  it('prints a script that does nothing for a user other than root, or if it is truncated', async () => {
    install('id', '1000')
    install('ip', 'never run')
    const script = await collect()
    expect(execute(script)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'the rules can be read only by root: use sudo sh\n',
    })
    install('id', '0')
    expect(execute(script.slice(0, -' </dev/null\n'.length - 1)).stdout).toBe('')
    expect(execute(script).stdout).toContain('never run')
  })

  it.each(['curl', 'wget'])('reads the mode and the configuration of kube-proxy with %s', async (tool) => {
    install('id', '0')
    install('ip', '')
    install(tool, 'ipvs')
    expect((await collectedWithErrors()).stdout).toContain('# kube-proxy mode: ipvs\n')
    install(tool, '404 page not found\n# kube-proxy mode: ipvs')
    expect((await collectedWithErrors()).stdout).not.toContain('kube-proxy mode')
    install(tool, '{"kubeproxy.config.k8s.io":{"Mode":"ipvs"}}')
    const configuration = '# kube-proxy configuration: {"kubeproxy.config.k8s.io":{"Mode":"ipvs"}}\n'
    expect((await collectedWithErrors()).stdout).toContain(configuration)
    install(tool, '{"kubeproxy.config.k8s.io":{}}\n*nat')
    expect((await collectedWithErrors()).stdout).not.toContain('kube-proxy configuration')
    rmSync(join(directory, tool))
  })

  it('prints a script that finds out the user without the tool id', async () => {
    const script = await collect()
    rmSync(join(directory, 'id'))
    for (const [uid, status] of [
      [1000, 1],
      [0, 0],
    ] as const) {
      writeKernelFile('proc/self/status', `Name:\tsh\nUid:\t1000\t${uid}\t1000\t1000\nGid:\t0\t0\t0\t0\n`)
      for (const shell of SHELLS) expect(execute(script, shell).status).toBe(status)
    }
    install('id', '0')
  })

  it('lists at the end what it could not read', async () => {
    const nothing = await collectedWithErrors()
    const tools = 'iptables-save (not installed), ip6tables-save (not installed)'
    expect(nothing.stdout.endsWith(`# not read: ${tools}\n`)).toBe(true)
    expect(nothing.stderr).toBe(`not read: ${tools}\n`)
    writeKernelFile('proc/net/ip_vs', 'IP Virtual Server version 1.2.1 (size=4096)\nTCP  0A600001:0050 rr\n')
    writeKernelFile('proc/net/dev', 'kube-ipvs0: 0 0\n')
    writeKernelFile('proc/net/ip_tables_names', 'nat\n')
    writeKernelFile('sys/module/ip_set/parameters/max_sets', '65536')
    rmSync(join(directory, 'ip'))
    const failing = '#!/bin/sh\nexit 4\n'
    for (const tool of ['iptables-nft-save', 'ip6tables-nft-save', 'nft']) {
      writeFileSync(join(directory, tool), failing, { mode: 0o755 })
    }
    expect((await collectedWithErrors('--connections')).stderr).toBe(
      `not read: ${[
        'nft (exit code 4)',
        'iptables-legacy-save (not installed)',
        'iptables-nft-save (exit code 4)',
        'ip6tables-nft-save (exit code 4)',
        'ipset (not installed)',
        'ipvsadm (not installed)',
        'addresses of kube-ipvs0 (ip is not installed)',
        'connections (conntrack is not installed)',
      ].join(', ')}\n`,
    )
    rmSync(join(directory, 'nft'))
    rmSync(join(directory, 'proc/net'), { recursive: true })
    rmSync(join(directory, 'sys'), { recursive: true })
    expect((await collectedWithErrors()).stderr).toContain('not read: nft (not installed), ')
    for (const tool of ['iptables-nft-save', 'ip6tables-nft-save']) rmSync(join(directory, tool))
  })

  it('prints a script that collects input for verify and explain from both backends', async () => {
    const { stdout: rules } = await run(['print', '-f', 'objects.json', '--format', 'save'], {
      files: { 'objects.json': objects },
    })
    const empty = '# Generated by iptables-save v1.8.9\n*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n'
    install('iptables-legacy-save', empty)
    install('iptables-nft-save', `# Generated by iptables-nft-save v1.8.9\n${rules}`)
    install('ip6tables-nft-save', '')
    install('ip', '1: lo    inet 127.0.0.1/8 scope host lo\n')
    writeFileSync(
      join(directory, 'ip'),
      '#!/bin/sh\n[ $# = 3 ] && echo "1: lo    inet 127.0.0.1/8 scope host lo" || exit 1\n',
    )
    installTables(['table ip nat', 'table inet firewalld'])
    const dump = await collected()
    expect(dump).toContain('\n# 1: lo    inet 127.0.0.1/8')
    expect(dump).toContain('\ntable inet firewalld {')
    expect(dump).not.toContain('table ip nat')
    const files = { 'objects.json': objects, 'node.dump': dump }
    const verified = await run(['verify', '-f', 'objects.json', '--dump', 'node.dump', '--family', '4'], { files })
    expect(verified).toEqual({ exitCode: 0, stdout: 'no drift\n', stderr: '' })
    const explained = await run(['explain', '--dump', 'node.dump', 'default/web', '--from', 'pod'], { files })
    expect(explained.stdout).toContain('=> 10.1.0.1:8080\n')
  })

  it('collects kernel settings and, on request, connections for warnings of verify and explain', async () => {
    writeKernelFile('proc/sys/net/ipv4/ip_forward', '0\n')
    writeKernelFile('proc/sys/net/ipv4/conf/all/rp_filter', '0\n')
    writeKernelFile('proc/sys/net/netfilter/nf_conntrack_count', '17\n')
    writeKernelFile('proc/sys/net/netfilter/nf_conntrack_max', '262144\n')
    install(
      'conntrack',
      'udp 17 29 src=10.1.0.9 dst=10.0.0.1 sport=4 dport=80 src=10.1.0.9 dst=10.1.0.9 sport=80 dport=4\n',
    )
    const dump = await collected()
    expect(dump).toContain('\n# net.ipv4.ip_forward = 0\n# net.ipv4.conf.all.rp_filter = 0\n')
    expect(dump).toContain('\n# conntrack: 17 of 262144\n')
    expect(dump).not.toContain('\n# udp')
    const complete = await collected('--connections')
    expect(complete).toContain('\n# udp 17 29 src=10.1.0.9 ')
    const files = { 'objects.json': objects, 'node.dump': complete }
    for (const args of [['verify'], ['explain', '10.0.0.1:80', '--from', 'pod']]) {
      const { stderr } = await run([...args, '-f', 'objects.json', '--dump', 'node.dump'], { files })
      expect(stderr).toContain('warning: net.ipv4.ip_forward is 0 on the node (expected 1): ')
    }
    rmSync(join(directory, 'conntrack'))
    writeKernelFile(
      'proc/net/nf_conntrack',
      'ipv4     2 tcp      6 8 src=10.1.0.9\nipv4     2 udp      17 29 src=10.1.0.9\n',
    )
    expect(await collected('--connections')).toMatch(/\n# ipv4 {5}2 udp {6}17 29 src=10.1.0.9\n$/)
    rmSync(join(directory, 'cat'))
    const { stdout: withoutCat } = await collectedWithErrors()
    expect(withoutCat).toContain('# net.ipv4.ip_forward = 0\n# net.ipv4.conf.all.rp_filter = 0\n')
    expect(withoutCat).not.toContain('conntrack:')
    installFromMachine('cat')
  })

  it('collects the nft tables that iptables-save does not print', async () => {
    const tables = ['table inet filter', 'table ip filter', 'table ip6 nat', 'table bridge filter', 'table ip other']
    installTables(tables)
    install('iptables-nft-save', '# Generated by iptables-nft-save v1.8.9\n')
    install('ip6tables-nft-save', "# Table `nat' contains incompatible base-chains, use 'nft' tool to list them.\n")
    const dump = await collected()
    expect(dump.match(/^table .*(?= \{$)/gm)).toEqual([
      'table inet filter',
      'table ip6 nat',
      'table bridge filter',
      'table ip other',
    ])
  })

  it('collects nft tables with iptables names if iptables is missing or the legacy version', async () => {
    for (const tool of ['iptables-nft-save', 'iptables-legacy-save', 'ip6tables-nft-save']) {
      rmSync(join(directory, tool), { force: true })
    }
    install('iptables-save', '# Generated by iptables-save v1.8.9 on Wed Nov 25 23:49:21 2026\n')
    install('ip6tables-save', '')
    installTables(['table ip nat', 'table ip6 filter'])
    expect((await collected()).match(/^table .*(?= \{$)/gm)).toEqual(['table ip nat', 'table ip6 filter'])
  })

  it('collects the policy of the host firewall in table inet filter for explain and compare', async () => {
    const { stdout: rules } = await run(['print', '-f', 'objects.json', '--format', 'save'], {
      files: { 'objects.json': objects },
    })
    install('iptables-save', rules.replace(/^-A KUBE-FORWARD .*\n/gm, ''))
    installTables(
      ['table inet filter'],
      '\tchain forward {\n\t\ttype filter hook forward priority filter; policy drop;\n\t}\n',
    )
    const files = { 'objects.json': objects, 'node.dump': await collected() }
    const explained = await run(['explain', '--dump', 'node.dump', 'default/web', '--from', 'pod'], { files })
    expect(explained.stdout).toContain('=> dropped\n')
    const compared = await run(['compare', '-f', 'objects.json', '--dump', 'node.dump', '--family', '4'], { files })
    expect(compared.exitCode).toBe(1)
    expect(compared.stdout).toContain('\n  live: dropped\n')
  })
})
