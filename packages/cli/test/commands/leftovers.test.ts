import { beforeAll, describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from '../support/objects.js'
import { run } from '../support/run.js'

const pods = configuration({ clusterCIDR: '10.1.0.0/16,fd00:1::/48' })
const objects = { 'web.json': clusterJson(service('web', ['10.0.0.1']), slice('web', '10.1.0.1'), pods) }
const MODES = ['iptables', 'ipvs', 'nftables'] as const
const rules: Record<string, string> = {}

beforeAll(async () => {
  for (const mode of MODES) {
    const print = async (...args: readonly string[]) =>
      (
        await run(['print', '-f', 'web.json', '--family', '4', '--format', 'save', '--mode', mode, ...args], {
          files: objects,
        })
      ).stdout
    rules[mode] = await print()
    if (mode !== 'ipvs') continue
    for (const subsystem of ['ipset', 'ipvs', 'addresses'])
      rules[`only ${subsystem}`] = await print('--subsystem', subsystem)
  }
})

const verify = (mode: string, dump: string, ...args: readonly string[]) =>
  run(['verify', '-f', 'web.json', '--mode', mode, '--dump', 'node.dump', ...args], {
    files: { ...objects, 'node.dump': dump },
  })

describe('verify with leftovers of another mode', () => {
  it.each(MODES)('finds no drift in %s mode if there are no leftovers', async (mode) => {
    expect(await verify(mode, rules[mode] ?? '')).toEqual({
      exitCode: 0,
      stdout: 'no drift\n',
      stderr: mode === 'nftables' ? expect.stringMatching(/^note: no version of the node is known: [^\n]*\n$/) : '',
    })
  })

  it('finds the table of nftables mode in iptables mode', async () => {
    const { exitCode, stdout } = await verify('iptables', `${rules.iptables}${rules.nftables}`)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /^On node node-1, nftables mode left its table behind\nwhy: Service default\/web is served by /,
    )
    expect(stdout).toMatch(
      /\nrule: line \d+ of node\.dump, before or after the rules of this mode: table ip kube-proxy\n/,
    )
    expect(stdout).toMatch(
      /\n {2}nftables ip kube-proxy extra: an unexpected table\n {4}- table ip kube-proxy\n\n1 extra\n$/,
    )
    const script = await verify('iptables', `${rules.iptables}${rules.nftables}`, '--script')
    expect(script.stdout).toContain("\nnft -f - <<'END' || exit\ndelete table ip kube-proxy\nEND\n")
  })

  it.each([
    ['iptables', 'nat/KUBE-SVC-CDGGSHYLG3RE2FKL extra: kube-proxy'],
    ['ipvs', 'ipvs TCP 10.0.0.1:80 extra: '],
  ])('finds the rules of %s mode in nftables mode', async (mode, line) => {
    const { exitCode, stdout } = await verify('nftables', `${rules.nftables}${rules[mode]}`)
    expect(exitCode).toBe(1)
    expect(stdout).toContain(`On node node-1, ${mode} mode left `)
    expect(stdout).toContain(line)
  })

  it('finds virtual servers, sets and addresses of ipvs mode in iptables mode', async () => {
    const { exitCode, stdout } = await verify(
      'iptables',
      `${rules.iptables}${rules['only ipset']}${rules['only ipvs']}${rules['only addresses']}`,
    )
    expect(exitCode).toBe(1)
    expect(stdout).toContain('ipvs TCP 10.0.0.1:80 extra: ')
    expect(stdout).toContain('address 10.0.0.1 extra: ')
    expect(stdout).toContain('ipset KUBE-CLUSTER-IP extra: ')
  })

  it('ignores virtual servers and sets of other programs', async () => {
    const others =
      '-A -t 192.0.2.1:80 -s rr\n-a -t 192.0.2.1:80 -r 192.0.2.9:80 -m -w 1\ncreate blocked hash:ip family inet hashsize 1024 maxelem 65536\n'
    const table =
      'table inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter; policy accept;\n\t}\n}\n'
    const { exitCode, stdout } = await verify('iptables', `${rules.iptables}${others}${table}`)
    expect([exitCode, stdout]).toEqual([0, 'no drift\n'])
  })

  it('rejects a dump that contains only the state of another mode', async () => {
    const { exitCode, stderr } = await verify('iptables', rules.nftables ?? '')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('the dump has no rules of iptables mode, but of nftables mode')
  })
})
