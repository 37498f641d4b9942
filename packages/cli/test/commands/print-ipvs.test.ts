import { describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

const web = service('web', ['10.0.0.1', 'fd00::1'], { sessionAffinity: 'ClientIP' })
const stdin = clusterJson(web, slice('web', '10.1.0.1'))

const print = (args: readonly string[], input = stdin) => run(['print', '-f', '-', ...args], { stdin: input })
const printIpvs = (...args: string[]) => print(['--mode', 'ipvs', '--family', '4', ...args])

const IPVSADM = '-A -t 10.0.0.1:80 -s rr -p 10800\n-a -t 10.0.0.1:80 -r 10.1.0.1:8080 -m -w 1\n'
const ADDRESSES = 'link add kube-ipvs0 type dummy\naddress add 10.0.0.1/32 dev kube-ipvs0\n'
const LISTING = [
  'IP Virtual Server version 1.2.1 (size=4096)',
  'Prot LocalAddress:Port Scheduler Flags',
  '  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn',
  'TCP  10.0.0.1:80 rr persistent 10800',
  '  -> 10.1.0.1:8080                Masq    1      0          0',
  '',
].join('\n')

describe('print --mode ipvs', () => {
  it('prints one subsystem with --subsystem', async () => {
    expect(await printIpvs('--subsystem', 'ipvs')).toEqual({ exitCode: 0, stdout: IPVSADM, stderr: '' })
    expect((await printIpvs('--subsystem', 'addresses')).stdout).toBe(ADDRESSES)
    const sets = (await printIpvs('--subsystem', 'ipset')).stdout.split('\n')
    expect(sets.filter((line) => line.startsWith('add '))).toEqual([
      'add KUBE-LOOP-BACK 10.1.0.1,tcp:8080,10.1.0.1',
      'add KUBE-CLUSTER-IP 10.0.0.1,tcp:80',
      'add KUBE-IPVS-IPS 10.0.0.1',
    ])
    expect((await printIpvs('--subsystem', 'iptables')).stdout).toMatch(
      /^\*nat\n[^#]*\nCOMMIT\n\*filter\n[^#]*\nCOMMIT\n$/,
    )
  })

  it('prints all subsystems under headings, in the order of application', async () => {
    const texts = []
    for (const subsystem of ['ipset', 'ipvs', 'addresses', 'iptables']) {
      texts.push(`# ${subsystem}\n${(await printIpvs('--subsystem', subsystem)).stdout}`)
    }
    expect((await printIpvs()).stdout).toBe(texts.join(''))
  })

  it('prints a listing of the virtual servers', async () => {
    expect((await printIpvs('--format', 'listing')).stdout).toBe(LISTING)
    expect((await printIpvs('--format', 'listing', '--subsystem', 'ipvs')).stdout).toBe(LISTING)
  })

  it('prints a subsystem in the format of --format and for the back end of --backend', async () => {
    const { stdout } = await printIpvs('--subsystem', 'iptables', '--format', 'save')
    expect(stdout).toContain('\n-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000\n')
    const saved = await printIpvs('--subsystem', 'ipvs', '--format', 'save')
    expect(saved.stdout).toBe(IPVSADM)
    const legacy = await printIpvs('--subsystem', 'iptables', '--format', 'save', '--backend', 'legacy')
    expect(legacy.stdout).toMatch(/^\*filter\n/)
  })

  it('prints one family as text by default, and both families under headings', async () => {
    const one = await print(['--mode', 'ipvs', '--subsystem', 'ipvs'])
    expect(one.stdout).toBe(IPVSADM)
    expect(one.stderr).toBe('warning: IPv4 rules only; --family both adds those of 1 Service\n')
    const both = await print(['--mode', 'ipvs', '--subsystem', 'ipvs', '--family', 'both'])
    expect(both.stdout).toBe(`# IPv4\n${IPVSADM}# IPv6\n-A -t [fd00::1]:80 -s rr -p 10800\n`)
  })

  it('uses the mode of the configuration', async () => {
    const input = clusterJson(web, slice('web', '10.1.0.1'), configuration({ mode: 'ipvs' }))
    expect((await print(['--subsystem', 'ipvs', '--family', '4'], input)).stdout).toBe(IPVSADM)
  })
})

describe('print --mode ipvs -o json', () => {
  const documentOf = async (...args: string[]) => {
    const input = clusterJson(web, slice('web', '10.1.0.1'), configuration({ ipvs: { tcpTimeout: '15m' } }))
    return JSON.parse((await print(['--mode', 'ipvs', '-o', 'json', ...args], input)).stdout)
  }

  it('contains the text of every subsystem, and the requirements for the kernel', async () => {
    const { mode, families } = await documentOf()
    expect({ mode, families: families.map(({ family }: { family: string }) => family) }).toEqual({
      mode: 'ipvs',
      families: ['IPv4', 'IPv6'],
    })
    const [{ text, subsystems, sysctls, kernelModules, timeouts }] = families
    expect(Object.keys(subsystems)).toEqual(['ipset', 'ipvs', 'addresses', 'iptables'])
    expect(subsystems).toMatchObject({ ipvs: IPVSADM, addresses: ADDRESSES })
    expect(text).toBe(
      Object.entries(subsystems)
        .map(([name, own]) => `# ${name}\n${own}`)
        .join(''),
    )
    expect(sysctls).toContainEqual({ name: 'net.ipv4.vs.conntrack', value: '1' })
    expect(kernelModules).toContain('ip_vs_rr')
    expect(timeouts).toEqual({ tcp: 900, tcpFin: 0, udp: 0 })
  })

  it('contains the text of the subsystem that --subsystem requests', async () => {
    const [{ text, subsystems }] = (await documentOf('--subsystem', 'addresses')).families
    expect(text).toBe(ADDRESSES)
    expect(subsystems.ipvs).toBe(IPVSADM)
  })

  it('contains a listing of virtual servers if the option is --format listing', async () => {
    const [{ text, subsystems }] = (await documentOf('--format', 'listing')).families
    const restored = (await documentOf()).families[0].subsystems
    expect(text).toBe(LISTING)
    expect(subsystems).toEqual({
      ...restored,
      ipvs: LISTING,
      iptables: expect.stringMatching(/^# iptables -t nat -L -n$/m),
    })
  })

  it('contains no fields of ipvs mode in iptables mode', async () => {
    const { stdout } = await print(['-o', 'json'])
    const keys = ['family', 'text', 'healthCheckNodePorts', 'counts']
    expect(JSON.parse(stdout).families.map(Object.keys)).toEqual([keys, keys])
  })
})

describe('print with conflicting options of ipvs mode', () => {
  it.each([
    [['--subsystem', 'ipset'], 'option --subsystem ipset is only for ipvs mode; the mode is iptables'],
    [
      ['--mode', 'iptables', '--subsystem', 'iptables'],
      'option --subsystem iptables is only for ipvs mode; the mode is iptables',
    ],
    [
      ['--mode', 'nftables', '--format', 'listing'],
      'option --format listing is only for iptables or ipvs or userspace mode; the mode is nftables',
    ],
    [['--mode', 'ipvs', '--line-numbers'], 'option --line-numbers is for --format listing'],
    [['--format', 'save', '--verbose'], 'option --verbose is for --format listing'],
    [
      ['--mode', 'ipvs', '--format', 'listing', '--subsystem', 'ipset'],
      'option --format listing is only for --subsystem ipvs, iptables, not ipset',
    ],
    [
      ['--mode', 'ipvs', '--subsystem', 'ipvsadm'],
      'option --subsystem is ipvsadm; expected ipset, ipvs, addresses, iptables',
    ],
  ])('exits with status 2 and prints one message for the arguments %j', async (args, message) => {
    const stderr = `error: ${message}\nRun 'kube-rules print --help' for help.\n`
    expect(await print(args)).toEqual({ exitCode: 2, stdout: '', stderr })
  })
})
