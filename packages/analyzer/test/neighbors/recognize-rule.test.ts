import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { chainsWithOwnersOf, jumpTargetOf } from '../../../compiler/src/dataplane/iptables/chains.js'
import { printRule } from '../../../compiler/src/dataplane/iptables/print/print.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import { NEIGHBORS } from '../../src/neighbors/neighbors.js'
import { type ForeignRule, recognizeRule } from '../../src/neighbors/recognize-rule.js'

const FOLDER = new URL('dumps/', import.meta.url)

/** The program of each dump. The dumps are written by hand in the form that the documentation of the program shows. */
const PROGRAMS: Readonly<Record<string, string>> = {
  calico: 'Calico',
  cilium: 'Cilium',
  flannel: 'Flannel',
  'weave-net': 'Weave Net',
  antrea: 'Antrea',
  'ovn-kubernetes': 'OVN-Kubernetes',
  'kube-router': 'kube-router',
  'aws-vpc-cni': 'AWS VPC CNI',
  azure: 'Azure CNI and Azure NPM',
  gke: 'GKE',
  'ip-masq-agent': 'ip-masq-agent (GKE, AKS)',
  'cni-portmap': 'CNI portmap (hostPort)',
  'k3s-servicelb': 'CNI portmap (hostPort)',
  kubenet: 'kubenet and CRI-O (hostPort)',
  'cni-bridge': 'CNI bridge and firewall',
  docker: 'Docker',
  podman: 'Podman',
  firewalld: 'firewalld',
  ufw: 'ufw',
  talos: 'Talos',
  fail2ban: 'fail2ban',
  crowdsec: 'CrowdSec',
  'nodelocal-dns': 'NodeLocal DNSCache',
  'istio-sidecar': 'Istio',
  'istio-ambient': 'Istio',
  linkerd: 'Linkerd',
  'kube-vip': 'kube-vip',
  tailscale: 'Tailscale',
  wireguard: 'WireGuard (wg-quick)',
}

/** Programs that write no rules on the node. */
const WITHOUT_RULES = ['Canal', 'containerd', 'MetalLB', 'K3s ServiceLB']

interface RuleOfDump extends ForeignRule {
  readonly chainsOfTable: readonly string[]
}

function rulesOf(text: string): readonly RuleOfDump[] {
  const { IPv4 } = readDump(text)
  const iptables = (IPv4.iptables?.tables ?? []).flatMap((table) => {
    const chains = chainsWithOwnersOf(table)
    return [...chains].flatMap(([chain, rules]) =>
      rules.map(({ rule }) => ({
        table: `iptables ${table.name}`,
        chain,
        text: printRule(rule, 'save', 'IPv4'),
        comment: '',
        jumpsTo: jumpTargetOf(rule) ?? '',
        chainsOfTable: [...chains.keys()],
      })),
    )
  })
  const nftables = (IPv4.nftables?.tables ?? []).flatMap(({ family, name, chains }) =>
    chains.flatMap((chain) =>
      chain.rules.map(({ comment = '' }) => ({
        table: `nftables ${family} ${name}`,
        chain: chain.name,
        text: '',
        comment,
        jumpsTo: '',
        chainsOfTable: [],
      })),
    ),
  )
  return [...iptables, ...nftables]
}

function nameOf({ chainsOfTable, ...rule }: RuleOfDump): string | undefined {
  return recognizeRule(rule, () => chainsOfTable)?.neighbor.name
}

const files = readdirSync(FOLDER).sort()

describe('recognizeRule', () => {
  it.each(files)('recognizes every rule of %s', (file) => {
    const rules = rulesOf(readFileSync(new URL(file, FOLDER), 'utf8'))
    expect(rules.length).toBeGreaterThan(0)
    const expected = PROGRAMS[file.slice(0, file.lastIndexOf('.'))]
    expect(expected).toBeDefined()
    for (const rule of rules) expect(`${rule.text}: ${nameOf(rule)}`).toBe(`${rule.text}: ${expected}`)
  })

  it('has a dump of every program that writes rules', () => {
    const names = new Set([...files.map((file) => PROGRAMS[file.slice(0, file.lastIndexOf('.'))]), ...WITHOUT_RULES])
    expect([...names].sort()).toEqual(NEIGHBORS.map(({ name }) => name).sort())
  })

  const rule = { table: 'iptables filter', chain: 'FORWARD', text: '', comment: '', jumpsTo: '' }

  it.each([
    ['an interface', { text: '-A FORWARD -i docker0 -j ACCEPT' }, [], 'Docker'],
    [
      'an interface of nftables',
      { table: 'nftables inet filter', text: 'iifname "tailscale0" accept' },
      [],
      'Tailscale',
    ],
    ['a packet mark', { text: '-A FORWARD -m mark --mark 0x40000/0xff0000 -j ACCEPT' }, [], 'Tailscale'],
    ['the policy of a chain, and other chains', { text: 'policy DROP', comment: 'policy' }, ['DOCKER-USER'], 'Docker'],
    [
      'the policy of INPUT, and other chains',
      { text: 'policy DROP', comment: 'policy', chain: 'INPUT' },
      ['DOCKER-USER', 'ufw-user-input'],
      'ufw',
    ],
    [
      'a rule without a name, and other chains',
      { text: '-A FORWARD -j REJECT --reject-with icmp-host-prohibited' },
      ['FWDI_public'],
      'firewalld',
    ],
  ])('calls a program likely if only %s suggests it', (_, given, chains, name) => {
    const recognized = recognizeRule({ ...rule, ...given }, () => chains)
    expect([recognized?.neighbor.name, recognized?.isLikely]).toEqual([name, true])
  })

  it.each([
    ['a rule without a sign', { text: '-A FORWARD -j DROP' }, ['DOCKER-USER', 'FWDI_public']],
    [
      'a rule with the comment of a policy',
      { text: '-A FORWARD -m comment --comment policy', comment: 'policy' },
      ['DOCKER'],
    ],
    ['a policy that no program of the table sets', { text: 'policy DROP', comment: 'policy' }, ['cali-FORWARD']],
    ['the policy of a different table', { text: 'policy DROP', comment: 'policy', table: 'iptables nat' }, ['DOCKER']],
    ['a rule whose program has no chain here', { text: '-A FORWARD -j REJECT --reject-with icmp-host-prohibited' }, []],
    ['a chain of a table that the program does not use', { table: 'iptables mangle', chain: 'FLANNEL-FWD' }, []],
    ['a chain with such a name in another table of nftables', { table: 'nftables inet mine', chain: 'ufw-input' }, []],
  ])('recognizes no program in %s', (_, given, chains) => {
    expect(recognizeRule({ ...rule, ...given }, () => chains)).toBeUndefined()
  })

  it('recognizes chains that iptables has written with the back end nft', () => {
    const recognized = recognizeRule({ ...rule, table: 'nftables ip filter', chain: 'ufw-user-input' }, () => [])
    expect([recognized?.neighbor.name, recognized?.isLikely]).toEqual(['ufw', false])
  })

  it('recognizes no rule of kube-proxy in the recorded dumps', () => {
    const rules = [...CORPUS_DUMPS.values()]
      .flatMap((text) => {
        try {
          return rulesOf(text)
        } catch {
          return []
        }
      })
      .filter(({ text }) => /--comment "?[a-z0-9-]+\/[a-z0-9-]+/.test(text))
    expect(rules.length).toBeGreaterThan(50)
    expect(rules.filter((rule) => nameOf(rule) !== undefined)).toEqual([])
  })
})

it('the chains of a table are read only for a rule that may belong to a program', () => {
  const read = vi.fn(() => ['cali-INPUT'])
  const rule = {
    ...{ table: 'iptables nat', chain: 'KUBE-SEP-34ZZ2QFGO32YYXXO', comment: 'shop/web:http', jumpsTo: '' },
  }
  const text =
    '-A KUBE-SEP-34ZZ2QFGO32YYXXO -p tcp -m comment --comment shop/web:http -m tcp -j DNAT --to-destination 10.244.1.5:8080'
  expect(recognizeRule({ ...rule, text }, read)).toBeUndefined()
  expect(read).not.toHaveBeenCalled()
})
