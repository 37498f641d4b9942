import { describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

const web = service('web', ['10.0.0.1', 'fd00::1'], { sessionAffinity: 'ClientIP' })
const stdin = clusterJson(web, slice('web', '10.1.0.1'))

const render = (args: readonly string[], input = stdin) => run(['render', '-f', '-', ...args], { stdin: input })
const renderIpvs = (...args: string[]) => render(['--mode', 'ipvs', '--family', '4', ...args])

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

describe('render --mode ipvs', () => {
  it('prints one part alone', async () => {
    expect(await renderIpvs('--part', 'ipvsadm')).toEqual({ exitCode: 0, stdout: IPVSADM, stderr: '' })
    expect((await renderIpvs('--part', 'addresses')).stdout).toBe(ADDRESSES)
    const sets = (await renderIpvs('--part', 'ipset')).stdout.split('\n')
    expect(sets.filter((line) => line.startsWith('add '))).toEqual([
      'add KUBE-LOOP-BACK 10.1.0.1,tcp:8080,10.1.0.1',
      'add KUBE-CLUSTER-IP 10.0.0.1,tcp:80',
      'add KUBE-IPVS-IPS 10.0.0.1',
    ])
    expect((await renderIpvs('--part', 'iptables')).stdout).toMatch(/^\*nat\n[^#]*\nCOMMIT\n\*filter\n[^#]*\nCOMMIT\n$/)
  })

  it('prints all parts under their names, in the order in which they are to be applied', async () => {
    const texts = []
    for (const part of ['ipset', 'ipvsadm', 'addresses', 'iptables']) {
      texts.push(`# ${part}\n${(await renderIpvs('--part', part)).stdout}`)
    }
    expect((await renderIpvs()).stdout).toBe(texts.join(''))
  })

  it('prints a listing of the virtual servers', async () => {
    expect((await renderIpvs('--style', 'listing')).stdout).toBe(LISTING)
    expect((await renderIpvs('--style', 'listing', '--part', 'ipvsadm')).stdout).toBe(LISTING)
  })

  it('spells a part as --style and --backend say', async () => {
    const { stdout } = await renderIpvs('--part', 'iptables', '--style', 'save')
    expect(stdout).toContain('\n-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000\n')
    const saved = await renderIpvs('--part', 'ipvsadm', '--style', 'save')
    expect(saved.stdout).toBe(IPVSADM)
    const legacy = await renderIpvs('--part', 'iptables', '--style', 'save', '--backend', 'legacy')
    expect(legacy.stdout).toMatch(/^\*filter\n/)
  })

  it('prints one family as text by default, and both under their names', async () => {
    const one = await render(['--mode', 'ipvs', '--part', 'ipvsadm'])
    expect(one.stdout).toBe(IPVSADM)
    expect(one.stderr).toBe('warning: IPv4 rules only; --family both adds those of 1 Service\n')
    const both = await render(['--mode', 'ipvs', '--part', 'ipvsadm', '--family', 'both'])
    expect(both.stdout).toBe(`# IPv4\n${IPVSADM}# IPv6\n-A -t [fd00::1]:80 -s rr -p 10800\n`)
  })

  it('takes the mode from the configuration', async () => {
    const input = clusterJson(web, slice('web', '10.1.0.1'), configuration({ mode: 'ipvs' }))
    expect((await render(['--part', 'ipvsadm', '--family', '4'], input)).stdout).toBe(IPVSADM)
  })
})

describe('render --mode ipvs -o json', () => {
  const documentOf = async (...args: string[]) => {
    const input = clusterJson(web, slice('web', '10.1.0.1'), configuration({ ipvs: { tcpTimeout: '15m' } }))
    return JSON.parse((await render(['--mode', 'ipvs', '-o', 'json', ...args], input)).stdout)
  }

  it('has the text, every part of it, and what the kernel needs beside', async () => {
    const { mode, families } = await documentOf()
    expect({ mode, families: families.map(({ family }: { family: string }) => family) }).toEqual({
      mode: 'ipvs',
      families: ['IPv4', 'IPv6'],
    })
    const [{ text, parts, sysctls, kernelModules, timeouts }] = families
    expect(Object.keys(parts)).toEqual(['ipset', 'ipvsadm', 'addresses', 'iptables'])
    expect(parts).toMatchObject({ ipvsadm: IPVSADM, addresses: ADDRESSES })
    expect(text).toBe(
      Object.entries(parts)
        .map(([name, part]) => `# ${name}\n${part}`)
        .join(''),
    )
    expect(sysctls).toContainEqual({ name: 'net.ipv4.vs.conntrack', value: '1' })
    expect(kernelModules).toContain('ip_vs_rr')
    expect(timeouts).toEqual({ tcp: 900, tcpFin: 0, udp: 0 })
  })

  it('has the part asked for as text', async () => {
    const [{ text, parts }] = (await documentOf('--part', 'addresses')).families
    expect(text).toBe(ADDRESSES)
    expect(parts.ipvsadm).toBe(IPVSADM)
  })

  it('lists virtual servers only', async () => {
    const [{ text, parts }] = (await documentOf('--style', 'listing')).families
    const restored = (await documentOf()).families[0].parts
    expect(text).toBe(LISTING)
    expect(parts).toEqual({ ...restored, ipvsadm: LISTING })
  })

  it('has none of this in mode iptables', async () => {
    const { stdout } = await render(['-o', 'json'])
    const keys = ['family', 'text', 'healthCheckNodePorts', 'counts']
    expect(JSON.parse(stdout).families.map(Object.keys)).toEqual([keys, keys])
  })
})

describe('render with options of mode ipvs that do not fit', () => {
  it.each([
    [['--part', 'ipset'], 'option --part is only for mode ipvs; the mode is iptables'],
    [['--mode', 'iptables', '--part', 'iptables'], 'option --part is only for mode ipvs; the mode is iptables'],
    [['--style', 'listing'], 'option --style listing is only for mode ipvs; the mode is iptables'],
    [
      ['--mode', 'ipvs', '--style', 'listing', '--part', 'ipset'],
      'option --style listing is only for --part ipvsadm, not ipset',
    ],
    [['--mode', 'ipvs', '--part', 'ipvs'], 'option --part is ipvs; expected ipset, ipvsadm, addresses, iptables'],
  ])('%j', async (args, message) => {
    const stderr = `error: ${message}\nRun 'kube-rules render --help' for help.\n`
    expect(await render(args)).toEqual({ exitCode: 2, stdout: '', stderr })
  })
})
