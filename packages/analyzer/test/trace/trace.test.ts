import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import { tablesOf } from '../../../compiler/test/dataplane/nftables/tables.js'
import { pathsText } from '../../../compiler/test/support/paths-text.js'
import { parseIpvs } from '../../src/dataplane/ipvs/parse.js'
import { trace } from '../../src/trace/trace.js'
import type { TraceContext } from '../../src/trace/trace-context.js'

const NODE: TraceContext = { addresses: ['192.168.0.2'] }

function stateOf(text: string): NodeState {
  return { family: 'IPv4', iptables: readState(text) }
}

function packet(fields: Partial<Packet> = {}): Packet {
  return {
    origin: 'outside',
    protocol: 'TCP',
    source: '203.0.113.2',
    destination: '10.96.0.1',
    destinationPort: 80,
    inInterface: 'eth0',
    ...fields,
  }
}

function pathsOf(text: string, fields: Partial<Packet> = {}, more: TraceContext = {}): readonly string[] {
  return pathsText(trace(stateOf(text), packet(fields), { ...NODE, ...more }))
}

const filter = (...rules: readonly string[]) => `*filter\n${rules.join('\n')}\nCOMMIT\n`
const nat = (...rules: readonly string[]) => `*nat\n${rules.join('\n')}\nCOMMIT\n`

describe('the outcome of a packet', () => {
  it('is unmatched for local and forwarded packets if there are no rules', () => {
    expect(trace({ family: 'IPv4' }, packet(), NODE)).toEqual([
      {
        outcome: { kind: 'unmatched', to: 'network', masqueraded: false },
        weight: '1',
        probability: 1,
        assumptions: [],
        steps: [],
      },
    ])
    const [path] = trace({ family: 'IPv4' }, packet({ destination: '192.168.0.2' }), NODE)
    expect(path?.outcome).toEqual({ kind: 'unmatched', to: 'node', masqueraded: false })
  })

  it.each([
    ['INPUT', { destination: '192.168.0.2' }, 'dropped'],
    ['INPUT', {}, 'unmatched'],
    ['FORWARD', {}, 'dropped'],
    ['FORWARD', { destination: '192.168.0.2' }, 'unmatched'],
    ['OUTPUT', { origin: 'node' }, 'dropped'],
    ['OUTPUT', {}, 'unmatched'],
    ['INPUT', { origin: 'node', destination: '192.168.0.2' }, 'dropped'],
    ['INPUT', { origin: 'node', destination: '127.0.0.5' }, 'dropped'],
    ['FORWARD', { origin: 'node' }, 'unmatched'],
  ] as const)('with a drop rule in %s for the packet %o is: %s', (chain, fields, outcome) => {
    expect(pathsOf(filter(`-A ${chain} -j DROP`), fields)).toEqual([outcome])
  })

  it('is the result of the policy at the end of a chain', () => {
    const [path] = trace(stateOf('*filter\n:FORWARD DROP [0:0]\n-A FORWARD -p udp -j ACCEPT\nCOMMIT\n'), packet(), NODE)
    expect(path?.outcome).toEqual({ kind: 'dropped' })
    expect(path?.steps).toEqual([
      {
        hook: 'FORWARD',
        table: 'iptables filter',
        chain: 'FORWARD',
        text: 'policy DROP',
        target: 'DROP',
        jumpsTo: '',
        comment: 'policy',
        servicePort: '',
      },
    ])
    expect(pathsOf('*filter\n:FORWARD DROP [0:0]\n-A FORWARD -p udp -j ACCEPT\nCOMMIT\n', { protocol: 'UDP' })).toEqual(
      ['unmatched'],
    )
  })

  it('includes the type of a rejection', () => {
    const [path] = trace(stateOf(filter('-A FORWARD -j REJECT --reject-with tcp-reset')), packet(), NODE)
    expect(path?.outcome).toEqual({ kind: 'rejected', with: 'tcp-reset' })
  })

  it('depends on the calling chain after a jump, but on the caller of that chain after a goto', () => {
    const chains = ':A - [0:0]\n:B - [0:0]'
    const jumps = filter(chains, '-A FORWARD -j A', '-A FORWARD -j DROP', '-A A -j B', '-A B -j RETURN')
    expect(pathsOf(jumps)).toEqual(['dropped'])
    const gotos = filter(chains, '-A FORWARD -j A', '-A A -g B', '-A A -j DROP', '-A FORWARD -j REJECT')
    expect(pathsOf(gotos)).toEqual(['rejected'])
  })

  it('is the result of the tables in hook order', () => {
    const text = [
      '*mangle\n-A PREROUTING -j MARK --set-mark 0x1\nCOMMIT\n',
      nat(
        '-A PREROUTING -m mark --mark 0x1 -j DNAT --to-destination 192.168.0.2:8080',
        '-A OUTPUT -j DNAT --to-destination 192.168.0.2:9090',
        '-A POSTROUTING -j MASQUERADE',
      ),
      filter('-A INPUT -p tcp -m tcp --dport 8080 -m conntrack --ctstate DNAT -j ACCEPT', '-A INPUT -j DROP'),
    ].join('')
    expect(pathsOf(text)).toEqual(['192.168.0.2:8080 1'])
    // A locally generated packet returns on lo, and PREROUTING of nat does not apply again.
    expect(pathsOf(text, { origin: 'node' })).toEqual(['dropped'])
    expect(pathsOf(text.replace('--dport 8080', '--dport 9090'), { origin: 'node' })).toEqual(['192.168.0.2:9090* 1'])
  })

  it('is the result of the first nat chain that translates the packet at a hook', () => {
    const tables = tablesOf(`table ip other {
      chain pre { type nat hook prerouting priority dstnat; ip daddr 10.96.0.1 tcp dport 80 dnat to 10.244.0.1:80; }
      chain post { type nat hook postrouting priority srcnat; ip daddr 10.244.0.1 masquerade; }
    }`)
    const iptables = readState(
      nat(
        '-A PREROUTING -d 10.96.0.0/24 -j DNAT --to-destination 10.244.0.2:81',
        '-A POSTROUTING -d 10.244.0.2/32 -j MASQUERADE',
      ),
    )
    const of = (fields: Partial<Packet>) =>
      pathsText(trace({ family: 'IPv4', nftables: { tables }, iptables }, packet(fields), NODE))
    expect(of({})).toEqual(['10.244.0.1:80* 1'])
    expect(of({ destination: '10.96.0.2' })).toEqual(['10.244.0.2:81* 1'])
    expect(of({ destination: '10.97.0.1' })).toEqual(['unmatched'])
    // A locally generated packet to the node itself: OUTPUT does not match, and PREROUTING does not apply again.
    const back = nat('-A PREROUTING -d 192.168.0.2 -j DNAT --to-destination 10.244.0.2:81')
    expect(pathsOf(back, { destination: '192.168.0.2' })).toEqual(['10.244.0.2:81 1'])
    expect(pathsOf(back, { destination: '192.168.0.2', origin: 'node' })).toEqual(['unmatched'])
  })

  it('is decided for a connection by the nat chains of OUTPUT, even if there are none', () => {
    const tables = tablesOf(`table ip other {
      chain pre { type nat hook prerouting priority dstnat; dnat to 10.244.0.1:80; }
    }`)
    const of = (fields: Partial<Packet>) =>
      pathsText(
        trace({ family: 'IPv4', nftables: { tables } }, packet({ destination: '192.168.0.2', ...fields }), NODE),
      )
    expect(of({})).toEqual(['10.244.0.1:80 1'])
    expect(of({ origin: 'node' })).toEqual(['unmatched'])
  })

  it('is that of all nat chains at the priority of translation, in the order of their own priorities', () => {
    const tables = tablesOf(`table ip other {
      chain last { type nat hook prerouting priority 20; dnat to 10.244.0.3; }
      chain first { type nat hook prerouting priority 10; ip daddr 10.96.0.1 dnat to 10.244.0.1; }
      chain before { type filter hook prerouting priority -101; ip daddr 10.244.0.0/16 drop; }
      chain after { type filter hook prerouting priority -99; ip daddr 10.244.0.3 drop; }
    }`)
    const of = (destination: string) =>
      pathsText(trace({ family: 'IPv4', nftables: { tables } }, packet({ destination }), NODE))
    expect(of('10.96.0.1')).toEqual(['10.244.0.1:80 1'])
    expect(of('10.96.0.2')).toEqual(['dropped'])
    expect(of('10.244.0.1')).toEqual(['dropped'])
  })

  it('has no DNAT state after a translation to the same destination', () => {
    const text = nat('-A PREROUTING -d 10.96.0.1/32 -j DNAT --to-destination 10.96.0.1')
    const drop = filter('-A FORWARD -m conntrack --ctstate DNAT -j DROP')
    expect(pathsOf(text + drop, { destination: '10.96.0.1' })).toEqual(['10.96.0.1:80 1'])
    const port = nat('-A PREROUTING -p tcp -j DNAT --to-destination 10.96.0.1:81')
    expect(pathsOf(port + drop, { destination: '10.96.0.1' })).toEqual(['dropped'])
    const either = nat(
      '-A PREROUTING -m statistic --mode random --probability 0.5 -j DNAT --to-destination 10.96.0.1',
      '-A PREROUTING -j DNAT --to-destination 10.0.0.2',
    )
    expect(pathsOf(either + drop, { destination: '10.96.0.1' })).toEqual(['10.96.0.1:80 1/2', 'dropped'])
  })

  it('does not depend on connections in table raw, which comes before connection tracking', () => {
    const raw = (...rules: readonly string[]) => `*raw\n${rules.join('\n')}\nCOMMIT\n`
    expect(pathsOf(raw('-A PREROUTING -m conntrack --ctstate NEW -j DROP'))).toEqual(['unmatched'])
    expect(pathsOf(raw('-A PREROUTING -m conntrack --ctstate INVALID -j DROP'))).toEqual(['dropped'])
    expect(
      pathsOf(
        raw('-A PREROUTING -j CONNMARK --set-xmark 0x1/0x1') + filter('-A FORWARD -m connmark --mark 0x1/0x1 -j DROP'),
      ),
    ).toEqual(['unmatched'])
  })

  it('depends on the interface, which is lo for packets from the node to itself', () => {
    const text = filter('-A INPUT -i lo -j ACCEPT', '-A INPUT -j DROP')
    expect(pathsOf(text, { origin: 'node', destination: '192.168.0.2' })).toEqual(['unmatched'])
    expect(pathsOf(text, { destination: '192.168.0.2' })).toEqual(['dropped'])
  })
})

describe('probabilities of paths', () => {
  const half = '-m statistic --mode random --probability 0.5000000000'

  it('add up to one', () => {
    const third = '-m statistic --mode random --probability 0.3333333333'
    const text = nat(
      `-A PREROUTING ${third} -j DNAT --to-destination 10.0.0.1:1`,
      `-A PREROUTING ${half} -j DNAT --to-destination 10.0.0.2:1`,
      '-A PREROUTING -j DNAT --to-destination 10.0.0.3:1',
    )
    expect(pathsOf(text)).toEqual(['10.0.0.1:1 1/3', '10.0.0.2:1 1/3', '10.0.0.3:1 1/3'])
  })

  it('apply once to a rule with several possible effects', () => {
    const source = nat(`-A POSTROUTING ${half} -j SNAT --to-source 192.168.0.2`)
    const paths = trace(stateOf(source), packet(), NODE)
    expect(paths.map(({ outcome, weight }) => ({ ...outcome, weight }))).toEqual([
      { kind: 'unmatched', to: 'network', masqueraded: true, weight: '1/2' },
      { kind: 'unmatched', to: 'network', masqueraded: false, weight: '1/2' },
    ])
    const port = nat(`-A PREROUTING -p tcp ${half} -j DNAT --to-destination 10.0.0.1:80-90`)
    expect(pathsOf(port)).toEqual(['10.0.0.1:80 1/2', 'unmatched'])
  })

  it('are added up if the paths are equivalent', () => {
    const text = nat(
      `-A PREROUTING ${half} -j DNAT --to-destination 10.0.0.1:1`,
      `-A PREROUTING ${half} -j DNAT --to-destination 10.0.0.1:1`,
    )
    expect(pathsText(trace(stateOf(text), packet(), NODE))).toEqual(['10.0.0.1:1 3/4', 'unmatched'])
    expect(trace(stateOf(text), packet(), NODE).map(({ weight }) => weight)).toEqual(['3/4', '1/4'])
  })

  it('are added up for equivalent paths without a change to the number of shared steps', () => {
    const text = nat(
      ':WEB - [0:0]',
      '-A PREROUTING -j WEB',
      `-A WEB ${half} -j DNAT --to-destination 10.0.0.1:1`,
      '-A WEB -j DNAT --to-destination 10.0.0.2:1',
    )
    const [dropped] = trace(stateOf(text + filter('-A FORWARD -j DROP')), packet(), NODE)
    expect(dropped).toMatchObject({ outcome: { kind: 'dropped' }, sharedSteps: { prefix: 1, suffix: 1 } })
    expect(dropped?.steps.map(({ target }) => target)).toEqual(['WEB', 'DNAT --to-destination 10.0.0.1:1', 'DROP'])
    for (const path of trace(stateOf(text), packet(), NODE)) expect(path).not.toHaveProperty('inCommon')
  })

  it('are also returned as the nearest floating-point number', () => {
    const rare = '-m statistic --mode random --probability 0.0000000005'
    const chains = Array.from({ length: 100 }, (_, index) => `-A C${index} ${rare} -j C${index + 1}`)
    const text = nat(...chains, '-A C100 -j DNAT --to-destination 10.0.0.1:1', '-A PREROUTING -j C0')
    const [delivered, unmatched] = trace(stateOf(text.replace('*nat\n', `*nat\n${declared(101)}`)), packet(), NODE)
    // The probability is 2^-31 to the power of 100, which is too small for a floating-point number.
    expect(delivered).toMatchObject({ weight: `1/${2n ** 3100n}`, probability: 0 })
    expect(unmatched?.probability).toBe(1)
    const [third] = trace(
      stateOf(
        nat('-A PREROUTING -m statistic --mode random --probability 0.3333333333 -j DNAT --to-destination 10.0.0.1:1'),
      ),
      packet(),
      NODE,
    )
    expect(third).toMatchObject({ weight: '1/3', probability: 1 / 3 })
  })

  it('create no path if they are zero', () => {
    const always = '-m statistic --mode random --probability 1'
    const never = '-m statistic --mode random --probability 0'
    expect(pathsOf(filter(`-A FORWARD ${always} -j DROP`))).toEqual(['dropped'])
    expect(pathsOf(filter(`-A FORWARD ${never} -j DROP`))).toEqual(['unmatched'])
  })
})

/** Declares the chains C0, C1, … */
function declared(length: number): string {
  return Array.from({ length }, (_, index) => `:C${index} - [0:0]\n`).join('')
}

describe('a match that cannot be evaluated', () => {
  const unknown = '-m hashlimit --hashlimit-upto 5/sec'
  const isUnknown = `iptables filter -A FORWARD ${unknown} -j DROP matches`

  it('forks the path, with an assumption for each result', () => {
    expect(pathsOf(filter(`-A FORWARD ${unknown} -j DROP`))).toEqual([
      `dropped if ${isUnknown}`,
      `unmatched if not ${isUnknown}`,
    ])
  })

  it('does not fork the path if the result has no effect', () => {
    const [path] = trace(
      stateOf(
        filter(
          ':OTHER - [0:0]',
          `-A FORWARD ${unknown} -j OTHER`,
          `-A OTHER ${unknown} -j LOG --log-prefix "x"`,
          `-A OTHER ${unknown} -j RETURN`,
          `-A FORWARD ${unknown} -j ACCEPT`,
          '-A FORWARD -j ACCEPT',
        ),
      ),
      packet(),
      NODE,
    )
    expect(path).toMatchObject({ outcome: { kind: 'unmatched' }, weight: '1', assumptions: [] })
    expect(path?.steps.map(({ text }) => text)).toEqual(['-A FORWARD -j ACCEPT'])
  })

  it('has a separate assumption each time a packet traverses its rule', () => {
    const rule = `-A FORWARD ${unknown} -j DROP`
    expect(pathsOf(filter(rule, rule))).toEqual([
      `dropped if ${isUnknown}`,
      `dropped if not ${isUnknown} if ${isUnknown} again`,
      `unmatched if not ${isUnknown} if not ${isUnknown} again`,
    ])
  })

  it('causes no assumption if only other unknown conditions have an effect', () => {
    const marking = `*mangle\n-A PREROUTING ${unknown} -j MARK --set-xmark 0x10000/0x10000\nCOMMIT\n`
    expect(pathsOf(marking + filter(`-A FORWARD ${unknown} -j DROP`))).toEqual([
      `dropped if ${isUnknown}`,
      `unmatched if not ${isUnknown}`,
    ])
  })

  it('causes no assumption if it affects only packets that no later rule matches', () => {
    const nowhere = '-m set --match-set NOWHERE src'
    const marks = 'iptables filter -A FORWARD -m hashlimit --hashlimit-upto 5/sec -j MARK --set-xmark 0x1/0x1 matches'
    const rejects = `iptables filter -A FORWARD ${nowhere} -j REJECT --reject-with icmp-port-unreachable matches`
    const rules = [
      `-A FORWARD ${unknown} -j MARK --set-xmark 0x1/0x1`,
      `-A FORWARD ${nowhere} -j REJECT`,
      '-A FORWARD -m mark --mark 0x1/0x1 -j DROP',
    ]
    expect(pathsOf(filter(...rules))).toEqual([
      `dropped if ${marks} if not ${rejects}`,
      `rejected if ${rejects}`,
      `unmatched if not ${marks} if not ${rejects}`,
    ])
  })

  it('does not fork the path if its rule has no effect', () => {
    const log = `-A FORWARD ${unknown} -j LOG --log-prefix "x"`
    const rules = Array.from({ length: 60 }, () => log)
    expect(pathsOf(filter(...rules, '-A FORWARD -j DROP'))).toEqual(['dropped'])
  })

  it('affects only packets that reach its rule', () => {
    const text = nat(
      `-A PREROUTING -m statistic --mode random --probability 0.5 -j DNAT --to-destination 10.0.0.1:1`,
      '-A PREROUTING -j DNAT --to-destination 10.0.0.2:1',
    )
    const rule = `-A FORWARD -d 10.0.0.1/32 ${unknown} -j DROP`
    expect(pathsOf(text + filter(rule))).toEqual([
      `10.0.0.1:1 1/2 if not iptables filter ${rule} matches`,
      '10.0.0.2:1 1/2',
      `dropped if iptables filter ${rule} matches`,
    ])
  })

  it('causes no assumption if the effect of its target is unknown', () => {
    expect(pathsOf(filter('-A FORWARD -j NFQUEUE --queue-num 1'))).toEqual([
      'unknown: the effect of -j NFQUEUE --queue-num 1 is unknown',
    ])
  })

  it('depends on whether an address belongs to the node if node addresses are unknown', () => {
    const text = filter('-A INPUT -j DROP')
    const state = stateOf(text)
    const own = '10.96.0.1 is an address of the node'
    expect(pathsText(trace(state, packet()))).toEqual([`dropped if ${own}`, `unmatched if not ${own}`])
    expect(pathsText(trace(state, packet({ destination: '127.0.0.1', origin: 'node' })))).toEqual(['dropped'])
  })

  it('does not depend on the node addresses for the source of a packet that arrives at an interface', () => {
    const state = stateOf(filter('-A FORWARD -m addrtype --src-type LOCAL -j ACCEPT', '-A FORWARD -j DROP'))
    const arriving = packet({ origin: 'outside', source: '198.51.100.1' })
    expect(pathsText(trace(state, arriving))).toEqual([
      'dropped if not 10.96.0.1 is an address of the node',
      'unmatched if 10.96.0.1 is an address of the node',
    ])
    expect(pathsText(trace(state, arriving, { addresses: ['198.51.100.1'] }))).toEqual(['unmatched'])
  })

  it('is evaluated only once', () => {
    const text = nat('-A PREROUTING -m addrtype --dst-type LOCAL -j DNAT --to-destination 10.0.0.1:1')
    const paths = trace(stateOf(text), packet())
    const own = '10.96.0.1 is an address of the node'
    expect(pathsText(paths)).toEqual([`10.0.0.1:1 1 if ${own}`, `unmatched if not ${own}`])
  })

  it('causes no assumption at a loop or a missing chain', () => {
    const loop = filter(':A - [0:0]', ':B - [0:0]', '-A FORWARD -j A', '-A A -j B', '-A B -j A')
    expect(pathsOf(loop)).toEqual([expect.stringMatching(/^unknown: chain [AB] loops back to itself$/)])
    expect(pathsOf(nat(':A - [0:0]', '-A PREROUTING -j A', '-A A -g NOWHERE'))).toEqual([
      'unknown: chain NOWHERE does not exist',
    ])
  })

  it('causes no assumption beyond the limit of nested jumps', () => {
    const names = Array.from({ length: 140 }, (_, index) => `C${index}`)
    const jumps = names.slice(1).map((name, index) => `-A C${index} -j ${name}`)
    const chains = names.map((name) => `:${name} - [0:0]`)
    expect(pathsOf(filter(...chains, '-A FORWARD -j C0', ...jumps))).toEqual([
      'unknown: chain C127 exceeds the limit of nested jumps',
    ])
  })

  it('makes the outcome unknown if there are too many unknown matches', () => {
    const rules = Array.from(
      { length: 20 },
      (_, n) => `-A FORWARD -m hashlimit --hashlimit-upto ${n}/sec -j MARK --or-mark ${2 ** n}`,
    )
    const outcomes = trace(stateOf(filter(...rules, '-A FORWARD -j DROP')), packet(), NODE).map(
      ({ outcome }) => outcome,
    )
    expect(outcomes).toContainEqual({ kind: 'unknown', reason: 'too many rules may or may not match' })
  })

  it('makes the outcome unknown if two chains that call each other contain too many rules', () => {
    const chains = Array.from({ length: 30 }, (_, depth) => `C${depth}`)
    const calls = chains.slice(1).flatMap((chain, depth) => [`-A C${depth} -j ${chain}`, `-A C${depth} -j ${chain}`])
    const declared = chains.map((chain) => `:${chain} - [0:0]`)
    expect(pathsOf(filter(...declared, '-A FORWARD -j C0', ...calls))).toEqual([
      'unknown: too many rules may or may not match',
    ])
  })
})

describe('session affinity', () => {
  const text = nat(
    ':SVC - [0:0]',
    '-A PREROUTING -j SVC',
    '-A SVC -m recent --name SEP-1 --rcheck --seconds 60 --reap -j DNAT --to-destination 10.0.0.1:1',
    '-A SVC -j DNAT --to-destination 10.0.0.2:1',
  )
  const remembered = (client: string, ageSeconds: number): TraceContext => ({
    affinity: [{ client, recentList: 'SEP-1', ageSeconds }],
  })

  it('selects the same endpoint for a client until the timeout expires', () => {
    expect(pathsOf(text)).toEqual(['10.0.0.2:1 1'])
    expect(pathsOf(text, {}, remembered('203.0.113.2', 60))).toEqual(['10.0.0.1:1 1'])
    expect(pathsOf(text, {}, remembered('203.0.113.2', 61))).toEqual(['10.0.0.2:1 1'])
    expect(pathsOf(text, {}, remembered('203.0.113.3', 1))).toEqual(['10.0.0.2:1 1'])
  })

  it('selects the real server that a persistence entry names for its client', () => {
    const servers = parseIpvs(
      [
        '-A -t 192.168.0.2:80 -s rr -p 60',
        ...['1', '2'].map((n) => `-a -t 192.168.0.2:80 -r 10.0.0.${n}:1 -m -w 1`),
      ].join('\n'),
    )
    if (!servers.ok) throw new Error(JSON.stringify(servers.problems))
    const state: NodeState = { family: 'IPv4', ipvs: servers.value }
    const kept = { client: '203.0.113.2', virtualServer: '192.168.0.2:80/TCP', realServer: '10.0.0.2:1' }
    const to = packet({ destination: '192.168.0.2' })
    expect(pathsText(trace(state, to, NODE))).toEqual(['10.0.0.1:1 1/2', '10.0.0.2:1 1/2'])
    expect(pathsText(trace(state, to, { ...NODE, affinity: [kept] }))).toEqual(['10.0.0.2:1 1'])
    expect(pathsText(trace(state, { ...to, source: '203.0.113.3' }, { ...NODE, affinity: [kept] }))).toEqual([
      '10.0.0.1:1 1/2',
      '10.0.0.2:1 1/2',
    ])
  })
})
