import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions, CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { printFamily } from '../../../compiler/test/support/print-family.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import type { FamilyReport } from '../../src/verify/report.js'
import { verify } from '../../src/verify/verify.js'

const input: CompileInput = {
  services: [service()],
  endpointSlices: [slice(at('10.244.1.1', '10.244.1.2', '10.244.1.3'))],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

function compiled(options: CompileOptions = {}, more: Partial<CompileInput> = {}): CompileResult {
  return compile({ ...input, ...more }, { nodeName: 'node-1', families: ['IPv4'], ...options })
}

const result = compiled()
const saved = printFamily(result, { family: 'IPv4', format: 'save' })

function reportOf(text: string, desired = result): FamilyReport {
  const [report] = verify(desired, readDump(text)).families
  if (report === undefined) throw new Error('no family')
  return report
}

/** Formats drift items: owner, location, kind and reason, without hashes. */
function findings(text: string, desired = result): readonly string[] {
  return reportOf(text, desired).drift.flatMap(({ servicePort, drift }) =>
    drift.map(
      ({ location, kind, reason }) => `${servicePort} | ${withoutHashes(location)} ${kind}: ${withoutHashes(reason)}`,
    ),
  )
}

function withoutHashes(text: string): string {
  return text.replaceAll(/(KUBE-[A-Z]+)-[A-Z2-7]{16}/g, '$1')
}

/**
 * Replaces the first line that matches a pattern.
 *
 * @throws if no line matches.
 */
function replaced(pattern: RegExp, by: string, text = saved): string {
  if (!pattern.test(text)) throw new Error(`no line fits ${pattern}`)
  return text.replace(pattern, by)
}

const WEB = 'ns1/web:http/TCP'

describe('an item of drift', () => {
  const driftIn = (text: string) => reportOf(text).drift.flatMap(({ drift }) => drift)
  const EXPECTED = '-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000'
  const FOUND = '-A KUBE-MARK-MASQ -j MARK --set-xmark 0x1/0x1'
  const of = {
    ...{ subsystem: 'iptables', location: 'nat/KUBE-MARK-MASQ', reason: expect.any(String) },
    part: expect.objectContaining({ kind: 'rule', table: 'nat', chain: 'KUBE-MARK-MASQ' }),
  }

  it('contains the expected rule, the actual rule, or both', () => {
    expect(driftIn(replaced(/-A KUBE-MARK-MASQ .*\n/, ''))).toEqual([{ ...of, kind: 'missing', expected: EXPECTED }])
    expect(driftIn(replaced(/-A KUBE-MARK-MASQ .*/, FOUND))).toEqual([
      { ...of, kind: 'changed', expected: EXPECTED, found: FOUND },
    ])
    expect(driftIn(replaced(/-A KUBE-MARK-MASQ .*/, `${EXPECTED}\n${FOUND}`))).toEqual([
      { ...of, kind: 'extra', found: FOUND },
    ])
  })
})

describe('the part of a drift item', () => {
  /** Returns the parts of the drift after a change of the node, in an order that does not depend on their owners. */
  function partsIn(mode: 'iptables' | 'ipvs' | 'nftables', pattern: RegExp, by: string): readonly unknown[] {
    const desired = compiled({}, { configuration: { ...input.configuration, mode } })
    const text = replaced(pattern, by, printFamily(desired, { family: 'IPv4', format: 'save' }))
    return reportOf(text, desired).drift.flatMap(({ drift }) => drift.map(({ part }) => part))
  }

  it.each<['iptables' | 'ipvs' | 'nftables', RegExp, string, unknown]>([
    [
      ...([
        'iptables',
        /-A KUBE-MARK-MASQ .*/,
        '-A KUBE-MARK-MASQ -d 10.0.0.0/8 -p udp -m udp --dport 53 -j X',
      ] as const),
      {
        ...{ kind: 'rule', table: 'nat', chain: 'KUBE-MARK-MASQ' },
        found: { destination: '10.0.0.0/8', destinationPort: 53, jumpsTo: 'X' },
      },
    ],
    ['iptables', /:KUBE-PROXY-FIREWALL .*/, '', { kind: 'chain', table: 'filter', chain: 'KUBE-PROXY-FIREWALL' }],
    [
      ...(['ipvs', /add KUBE-CLUSTER-IP 10.96.0.1,tcp:80\n/, ''] as const),
      { kind: 'element', set: 'KUBE-CLUSTER-IP', key: ['10.96.0.1', 'tcp:80'] },
    ],
    ['ipvs', /(create KUBE-CLUSTER-IP .*)65536/, '$17', { kind: 'set', set: 'KUBE-CLUSTER-IP' }],
    [
      ...(['ipvs', /-A -t 10.96.0.1:80 -s rr/, '-A -t 10.96.0.1:80 -s wrr'] as const),
      { kind: 'virtualServer', protocol: 'TCP', virtualServer: '10.96.0.1:80' },
    ],
    [
      ...(['ipvs', /(-r 10.244.1.1:8080 -m -w) 1/, '$1 0'] as const),
      {
        ...{ kind: 'realServer', protocol: 'TCP', virtualServer: '10.96.0.1:80', realServer: '10.244.1.1:8080' },
        ...{ expectedWeight: 1, foundWeight: 0 },
      },
    ],
    ['ipvs', /add 10.96.0.1\/32/, 'add 10.96.0.9/32', { kind: 'address', address: '10.96.0.1' }],
    [
      ...(['nftables', /10.96.0.1 . tcp . 80 [^}]*: /, '10.96.0.9 . tcp . 80 : '] as const),
      { kind: 'element', table: 'ip kube-proxy', set: 'service-ips', key: ['10.96.0.1', 'tcp', '80'] },
    ],
    ['nftables', /chain services \{[^}]*\}/, '', { kind: 'chain', table: 'ip kube-proxy', chain: 'services' }],
  ])('in %s mode, %s becomes "%s": identifies the part', (mode, pattern, by, part) => {
    expect(partsIn(mode, pattern, by)).toContainEqual(part)
  })
})

describe('a drift reason', () => {
  it.each<[RegExp, string, readonly string[]]>([
    [
      /-A KUBE-SERVICES -d .*\n/,
      '',
      [`${WEB} | nat/KUBE-SERVICES missing: packets do not reach the chain of the service port`],
    ],
    [
      /-A KUBE-SVC-\S+ ! -s .*\n/,
      '',
      [
        `${WEB} | nat/KUBE-SVC missing: packets that should be masqueraded keep their source address, so replies may bypass the node`,
      ],
    ],
    [
      /-A KUBE-SVC-\S+ .*-> 10.244.1.2.*\n/,
      '',
      [`${WEB} | nat/KUBE-SVC missing: an endpoint does not get its share of the connections`],
    ],
    [
      /probability 0.33333333349/,
      'probability 0.5',
      [`${WEB} | nat/KUBE-SVC changed: the share is 0.50000000000 instead of 0.33333333349`],
    ],
    [
      /10.244.1.2:8080" -m statistic.*0.5\d*/,
      '10.244.1.2:8080"',
      [`${WEB} | nat/KUBE-SVC changed: the share is everything instead of 0.50000000000`],
    ],
    [
      /--to-destination 10.244.1.1/,
      '--to-destination 10.9.9.9',
      [`${WEB} | nat/KUBE-SEP changed: packets go to 10.9.9.9:8080 instead of 10.244.1.1:8080`],
    ],
    [/"ns1\/web:http -> 10.244.1.1:8080"/, '"x"', [`${WEB} | nat/KUBE-SVC changed: only the comment differs`]],
    [
      /(-A KUBE-SERVICES -d \S+)( .*http.*dport) 80/,
      '$1$2 81',
      [
        `${WEB} | nat/KUBE-SERVICES changed: the rule matches the wrong packets; packets do not reach the chain of the service port`,
      ],
    ],
    [
      /-A KUBE-FORWARD .* INVALID -j DROP\n/,
      '',
      [' | filter/KUBE-FORWARD missing: packets that should be rejected are not'],
    ],
    [
      /-A KUBE-MARK-MASQ .*\n/,
      '-A KUBE-MARK-MASQ -j LOG --log-prefix "a b"\n',
      [' | nat/KUBE-MARK-MASQ changed: packets go to LOG --log-prefix "a b" instead of MARK'],
    ],
    [
      /(-A KUBE-POSTROUTING .*) -j RETURN\n/,
      '$1\n',
      [' | nat/KUBE-POSTROUTING changed: packets go to the next rule instead of RETURN'],
    ],
    [/-A PREROUTING .*\n/, '', [' | nat/PREROUTING missing: packets do not enter a chain that they should traverse']],
    [
      /COMMIT\n$/,
      '-A KUBE-MARK-MASQ -m mark --mark 0x1\nCOMMIT\n',
      [' | nat/KUBE-MARK-MASQ extra: kube-proxy would not write this rule'],
    ],
    [
      /COMMIT\n$/,
      '-A KUBE-POSTROUTING -j MASQUERADE\nCOMMIT\n',
      [' | nat/KUBE-POSTROUTING extra: packets that should keep their source address are masqueraded'],
    ],
    [
      /COMMIT\n$/,
      '-A KUBE-NODEPORTS -p tcp -m comment --comment "a/b" -j DNAT --to-destination 10.0.0.1\nCOMMIT\n',
      ['a/b/TCP | nat/KUBE-NODEPORTS extra: packets are translated to a wrong address'],
    ],
    [
      /COMMIT\n$/,
      '-A KUBE-NODEPORTS -g KUBE-MARK-MASQ\nCOMMIT\n',
      [' | nat/KUBE-NODEPORTS extra: packets that should keep their source address are masqueraded'],
    ],
    [
      /(-A KUBE-POSTROUTING .*\n)(-A KUBE-POSTROUTING .*\n)/,
      '$2$1',
      [
        ' | nat/KUBE-POSTROUTING misplaced: the rule exists at a wrong position, so rules are evaluated in the wrong order',
      ],
    ],
    [/:KUBE-SEP-\S+ .*\n/, '', []],
  ])('is found for the change of %s to %j', (pattern, by, expected) => {
    expect(findings(replaced(pattern, by))).toEqual(expected)
  })

  it('states that a chain is missing together with all its rules', () => {
    const chain = /:(KUBE-SEP-\S+) /.exec(saved)?.[1] ?? ''
    const lines = saved.split('\n').filter((line) => !line.includes(chain))
    const [group] = reportOf(lines.join('\n')).drift
    expect(group?.servicePort).toBe(WEB)
    const missing = group?.drift.find(({ location }) => location === `nat/${chain}`)
    expect(missing).toMatchObject({ kind: 'missing', reason: 'the chain is missing with all its rules' })
    expect(missing?.expected?.split('\n')).toEqual([
      `:${chain} - [0:0]`,
      ...saved.split('\n').filter((line) => line.startsWith(`-A ${chain} `)),
    ])
  })
})

describe('the order of service ports in a shared chain', () => {
  const services = ['a', 'b', 'c'].map((name, index) =>
    service({ clusterIP: `10.96.0.${index + 1}` }, { metadata: { namespace: 'ns1', name } }),
  )
  const endpointSlices = ['a', 'b', 'c'].map((name) => slice(at('10.244.1.1'), { name, service: name }))
  const three = compiled({}, { services, endpointSlices })
  const text = printFamily(three, { family: 'IPv4', format: 'save' })

  it('causes no drift, and stays the same if other rules are repaired', () => {
    const lines = text.match(/-A KUBE-SERVICES -d .*\n/g) ?? []
    expect(lines).toHaveLength(3)
    const [a = '', b = '', c = ''] = lines
    const shuffled = text.replace(a + b + c, c + a + b)
    expect(findings(shuffled, three)).toEqual([])
    const { drift, repair } = reportOf(shuffled.replace(a, ''), three)
    expect(drift.map(({ servicePort }) => servicePort)).toEqual(['ns1/a:http/TCP'])
    expect(repair.map(({ input: lines }) => lines)).toEqual([
      expect.stringMatching(/^\*nat\n-I KUBE-SERVICES 3 [^\n]+ns1\/a:http[^\n]+\nCOMMIT\n$/),
    ])
  })

  it('ends with the jump to node ports', () => {
    const [, last = ''] = /(-A KUBE-SERVICES .*KUBE-NODEPORTS\n)/.exec(text) ?? []
    const first = text.replace(last, '').replace('-A KUBE-SERVICES ', `${last}-A KUBE-SERVICES `)
    expect(findings(first, three)).toEqual([expect.stringMatching(/^ \| nat\/KUBE-SERVICES misplaced: /)])
  })
})

describe('a resource of another program', () => {
  it.each([
    [':DOCKER - [0:0]\n', '-A DOCKER -j RETURN\n-A PREROUTING -j DOCKER\n'],
    [':KUBE-MARK-DROP - [0:0]\n', '-A KUBE-MARK-DROP -j MARK --set-xmark 0x8000/0x8000\n'],
    [':KUBE-KUBELET-CANARY - [0:0]\n:KUBE-PROXY-CANARY - [0:0]\n:KUBE-IPTABLES-HINT - [0:0]\n', ''],
    ['', '-A OUTPUT -j ACCEPT\n'],
    [':KUBE-ROUTER-INPUT - [0:0]\n', '-A KUBE-ROUTER-INPUT -j ACCEPT\n-A INPUT -j KUBE-ROUTER-INPUT\n'],
  ])('is ignored: %s%s', (chains, rules) => {
    const text = saved.replace('*nat\n', `*nat\n${chains}`).replace(/COMMIT\n$/, `${rules}COMMIT\n`)
    const { drift, repair, otherChains } = reportOf(text)
    expect({ drift, repair }).toEqual({ drift: [], repair: [] })
    expect(otherChains).toEqual(chains.includes('ROUTER') ? ['nat/KUBE-ROUTER-INPUT'] : [])
  })

  it('is ignored in chain KUBE-FIREWALL', () => {
    const rule = '-A KUBE-FIREWALL -m comment --comment "kubernetes firewall for dropping marked packets" -j DROP\n'
    const text = replaced(/COMMIT\n/, `${rule}COMMIT\n`)
    expect(reportOf(text)).toMatchObject({ drift: [], repair: [] })
    const guard = /-A KUBE-FIREWALL .*localnet.*\n/
    if (!guard.test(saved)) throw new Error('no guard')
    const { drift, repair } = reportOf(text.replace(guard, ''))
    expect(drift).toMatchObject([{ drift: [{ location: 'filter/KUBE-FIREWALL', kind: 'missing' }] }])
    expect(repair.map(({ input: lines }) => lines).join('')).toMatch(/^\*filter\n-I KUBE-FIREWALL 2 .*\nCOMMIT\n$/)
    expect(findings(text.replace(guard, (line) => line + line))).toEqual([
      ' | filter/KUBE-FIREWALL extra: packets that reach this rule are rejected or dropped',
    ])
  })

  it('may be a jump to KUBE-FIREWALL at any position', () => {
    const jump = '-A INPUT -j KUBE-FIREWALL\n'
    const without = replaced(new RegExp(jump), '')
    expect(without).toMatch(/(-A INPUT .*\n){2}/)
    expect(findings(replaced(/-A INPUT .*\n/, `$&${jump}`, without))).toEqual([])
    expect(findings(replaced(/(-A INPUT .*\n)+/, `$&${jump}`, without))).toEqual([])
    const [, first = '', second = ''] = /(-A OUTPUT .*PROXY-FIREWALL\n)(-A OUTPUT .*SERVICES\n)/.exec(saved) ?? []
    expect(findings(saved.replace(first + second, second + first))).toEqual([
      expect.stringMatching(/^ \| filter\/OUTPUT misplaced: /),
    ])
  })
})

describe('a leftover chain of kube-proxy', () => {
  const withChain = (name: string, rules: string) =>
    saved.replace('*nat\n', `*nat\n:${name} - [0:0]\n`).replace(/COMMIT\n$/, `${rules}COMMIT\n`)

  it('is reported under its service port, and removed by the repair', () => {
    const text = withChain(
      'KUBE-XLB-OLD',
      '-A KUBE-XLB-OLD -p udp -m comment --comment "Balancing rule 0 for a/b:c" -j RETURN\n',
    )
    expect(findings(text)).toEqual(['a/b:c/UDP | nat/KUBE-XLB-OLD extra: kube-proxy would have removed this chain'])
    expect(reportOf(text).repair.map(({ input: lines }) => lines)).toEqual([
      '*nat\n:KUBE-XLB-OLD - [0:0]\n-X KUBE-XLB-OLD\nCOMMIT\n',
    ])
  })

  it('is removed together with the jump to it', () => {
    const text = withChain('KUBE-PORTALS-HOST', '-A OUTPUT -j KUBE-PORTALS-HOST\n')
    expect(findings(text)).toEqual([
      ' | nat/KUBE-PORTALS-HOST extra: kube-proxy would have removed this chain',
      ' | nat/OUTPUT extra: packets enter a chain that they should not traverse',
    ])
    expect(reportOf(text).repair.map(({ input: lines }) => lines)).toEqual([
      '*nat\n:KUBE-PORTALS-HOST - [0:0]\n-D OUTPUT -j KUBE-PORTALS-HOST\n-X KUBE-PORTALS-HOST\nCOMMIT\n',
    ])
  })

  it('is flushed but not deleted if a rule of another program references the chain', () => {
    const text = withChain('KUBE-SVC-OLD', '-A KUBE-SVC-OLD -j RETURN\n-A MINE -j KUBE-SVC-OLD\n').replace(
      '*nat\n',
      '*nat\n:MINE - [0:0]\n',
    )
    const note = 'it cannot be deleted, because MINE references it'
    expect(findings(text)).toEqual([` | nat/KUBE-SVC-OLD extra: kube-proxy would have removed this chain; ${note}`])
    expect(reportOf(text).repair.map(({ input: lines }) => lines)).toEqual(['*nat\n-D KUBE-SVC-OLD 1\nCOMMIT\n'])
    expect(reportOf(text.replace('-A KUBE-SVC-OLD -j RETURN\n', '')).repair).toEqual([])
  })

  it.each([...CORPUS_DUMPS.keys()].filter((file) => file.startsWith('kube-1.')))(
    'is removed from %s without changes to chains of other programs',
    (file) => {
      const { drift, repair } = reportOf(CORPUS_DUMPS.get(file) ?? '')
      expect(drift.length).toBeGreaterThan(0)
      const touched = repair.map(({ input: lines }) => lines).join('')
      expect(touched).not.toMatch(/DOCKER|FLANNEL|CANARY|KUBE-MARK-DROP|docker0/)
    },
  )
})

describe('missing parts of the dump', () => {
  it('are reported as not verified', () => {
    expect(reportOf('')).toEqual({
      family: 'IPv4',
      caveats: [],
      kubeletChains: [],
      drift: [],
      unverified: [{ part: 'iptables', reason: 'the dump has no tables, as printed by iptables-save' }],
      otherChains: [],
      repair: [],
    })
    const both = compiled({ families: ['IPv4', 'IPv6'] })
    expect(verify(both, readDump(saved)).families.map(({ unverified }) => unverified.length)).toEqual([0, 1])
  })

  it('include a table that is missing', () => {
    const text = saved.replace(/\*nat[\s\S]*/, '')
    expect(reportOf(text)).toMatchObject({
      drift: [],
      unverified: [{ part: 'iptables nat', reason: 'the dump has no table nat' }],
      repair: [],
    })
  })
})

describe('verify in ipvs mode', () => {
  const ipvs = compiled({ mode: 'ipvs' }, { configuration: { mode: 'ipvs', ipvs: { excludeCIDRs: ['192.0.2.0/24'] } } })
  const texts = (['iptables', 'ipset', 'ipvs', 'addresses'] as const).map((subsystem) =>
    printFamily(ipvs, { family: 'IPv4', subsystem, format: 'save' }),
  )
  const text = texts.join('')
  const changed = (pattern: RegExp, by: string) => findings(replaced(pattern, by, text), ipvs)
  const EXCLUDED = '-A -t 192.0.2.1:80 -s rr\n-a -t 192.0.2.1:80 -r 10.1.1.1:80 -m -w 1\n'

  it('reports no drift if the node matches the compiled state', () => {
    expect(reportOf(text, ipvs)).toMatchObject({ drift: [], unverified: [], repair: [] })
  })

  it.each<[string, RegExp, string, readonly string[]]>([
    [
      'a missing set',
      /create KUBE-CLUSTER-IP .*\n(?:add KUBE-CLUSTER-IP .*\n)*/,
      '',
      [
        ' | ipset KUBE-CLUSTER-IP missing: the set is missing with all its entries, and rules that match it cannot be loaded',
      ],
    ],
    [
      'a set of another size',
      /(create KUBE-CLUSTER-IP .*maxelem) \d+/,
      '$1 7',
      [' | ipset KUBE-CLUSTER-IP changed: the set has another type, family or size'],
    ],
    [
      'an additional entry',
      /(create KUBE-CLUSTER-IP .*\n)/,
      '$1add KUBE-CLUSTER-IP 10.9.9.9,tcp:1\n',
      [' | ipset KUBE-CLUSTER-IP 10.9.9.9,tcp:1 extra: rules that match the set apply to an unexpected entry'],
    ],
    [
      'a missing virtual server',
      /-A -t 10.96.\S+ .*\n(?:-a .*\n)+/,
      EXCLUDED,
      [`${WEB} | ipvs TCP 10.96.0.1:80 missing: this address and port are not served`],
    ],
    [
      'another scheduler',
      /(-A -t 10.96.\S+ -s) rr/,
      '$1 wlc',
      [`${WEB} | ipvs TCP 10.96.0.1:80 changed: connections are distributed differently`],
    ],
    [
      'another weight',
      /-w 1\n/,
      '-w 0\n',
      [
        `${WEB} | ipvs TCP 10.96.0.1:80 10.244.1.1:8080 changed: an endpoint gets a different share of the connections than expected`,
      ],
    ],
    [
      'a real server with another address',
      /(-a -t \S+ -r) 10.244.1.1/,
      '$1 10.9.9.9',
      [
        `${WEB} | ipvs TCP 10.96.0.1:80 10.244.1.1:8080 missing: an endpoint gets no connections`,
        `${WEB} | ipvs TCP 10.96.0.1:80 10.9.9.9:8080 extra: connections go to an endpoint that should get none`,
      ],
    ],
    [
      'an additional virtual server',
      /$/,
      '-A -u 10.9.9.9:53 -s rr\n-a -u 10.9.9.9:53 -r 10.1.1.1:53 -m -w 1\n',
      [' | ipvs UDP 10.9.9.9:53 extra: this address and port should not be served'],
    ],
    ['a virtual server in an excluded network', /$/, EXCLUDED, []],
    ['a virtual server with a firewall mark', /$/, '-A -f 7 -s rr\n', []],
    ['a virtual server of the other family', /$/, '-A -t [fd00::1]:80 -s rr\n', []],
    ['a set of another program', /$/, 'create X hash:ip family inet hashsize 1024 maxelem 65536\n', []],
    [
      'an additional real server with weight 0',
      /(-a -t \S+ -r) 10.244.1.1(.*) -w 1\n/,
      '$1 10.244.1.1$2 -w 1\n$1 10.9.9.9$2 -w 0\n',
      [],
    ],
    [
      'a missing address',
      /address add 10.96.*\n/,
      '',
      [`${WEB} | address 10.96.0.1 missing: the address is not bound to the node`],
    ],
    [
      'an additional address',
      /$/,
      'address add 10.9.9.9/32 dev kube-ipvs0\naddress add fd00::1/128 dev kube-ipvs0\n',
      [' | address 10.9.9.9 extra: an address that belongs to no Service is bound to the node'],
    ],
  ])('reports the expected drift of %s', (_, pattern, by, expected) => {
    expect(changed(pattern, by)).toEqual(expected)
    const { repair } = reportOf(text.replace(pattern, by), ipvs)
    expect(repair.length > 0).toBe(expected.length > 0)
  })

  it('reports an extra UDP virtual server without real servers', () => {
    const waiting = '-A -u 10.96.0.1:80 -s rr\n'
    expect(changed(/$/, waiting).length).toBe(1)
  })

  it('repairs each subsystem with the commands of its own tool', () => {
    const broken = text
      .replace(/add KUBE-CLUSTER-IP.*\n/, '')
      .replace(/-a .*\n/, '')
      .replace(/address add.*\n/, '')
    const tools = reportOf(broken, ipvs).repair.map(({ tool }) => tool)
    expect(tools).toEqual(['ipset', 'ipvsadm', 'ip'])
  })

  it('reports subsystems that are missing in the dump', () => {
    expect(reportOf(texts[0] ?? '', ipvs).unverified.map(({ reason }) => reason)).toEqual([
      'the dump has no sets, as printed by ipset save',
      'the dump has no virtual servers, as printed by ipvsadm -Sn',
      'the dump has no addresses, as printed by ip -o address show dev kube-ipvs0',
    ])
    expect(reportOf(texts[0] ?? '', ipvs).unverified.map(({ part }) => part)).toEqual(['ipset', 'ipvs', 'addresses'])
    expect(reportOf(texts[0] ?? '', ipvs)).toMatchObject({ drift: [], repair: [] })
    expect(reportOf(texts.slice(1).join(''), ipvs).unverified.map(({ part }) => part)).toEqual(['iptables'])
  })
})
