import { IP_FAMILIES, type IpFamily, type Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import { listFrontends } from '../../src/explain/explain.js'
import { trace } from '../../src/trace/trace.js'

const PACKET: Packet = {
  origin: 'node',
  protocol: 'TCP',
  source: '192.0.2.1',
  isSourceUnknown: true,
  destination: '10.96.0.1',
  destinationPort: 80,
}

const NODE = { addresses: ['192.168.0.2'] }

function traced(...rules: readonly string[]) {
  const text = ['*filter', ':OUTPUT ACCEPT [0:0]', ...rules, 'COMMIT\n'].join('\n')
  return trace({ family: 'IPv4', iptables: readState(text) }, PACKET, NODE).map(({ outcome, assumptions }) => [
    outcome.kind,
    ...assumptions.map(({ condition, value }) => `${value} ${condition}`),
  ])
}

describe('a packet from an unknown source', () => {
  it.each([
    '-s 192.0.2.0/24',
    '-s 192.0.2.1/32',
    '-s 10.0.0.0/8',
    '! -s 192.0.2.0/24',
    '-m iprange --src-range 192.0.2.1-192.0.2.9',
  ])('may match a rule with %s', (match) => {
    const rule = `-A OUTPUT ${match} -j DROP`
    expect(traced(rule)).toEqual([
      ['dropped', `true iptables filter ${rule} matches`],
      ['unmatched', `false iptables filter ${rule} matches`],
    ])
  })

  it('matches the rules for all addresses, and for the addresses of the node', () => {
    expect(traced('-A OUTPUT -s 0.0.0.0/0 -j DROP')).toEqual([['dropped']])
    expect(traced('-A OUTPUT -m addrtype --src-type LOCAL -j DROP')).toEqual([['dropped']])
    expect(traced('-A OUTPUT -m addrtype ! --src-type LOCAL -j DROP')).toEqual([['unmatched']])
  })

  it('may match an element of a set of sources', () => {
    const [dropped, accepted] = trace(
      readDump(`table ip filter {
	set blocked {
		type ipv4_addr
		flags interval
		elements = { 192.168.0.0/16 }
	}
	chain output {
		type filter hook output priority filter; policy accept;
		ip saddr @blocked drop
	}
}
`).IPv4,
      PACKET,
      NODE,
    )
    expect(dropped).toMatchObject({ outcome: { kind: 'dropped' }, assumptions: [{ value: true }] })
    expect(accepted).toMatchObject({ outcome: { kind: 'unmatched' }, assumptions: [{ value: false }] })
  })
})

const SOURCES: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['192.168.0.2', '10.244.0.1', '172.17.0.120'],
  IPv6: ['fd00:1::2', 'fd00:244::1'],
}

const STATES = [...CORPUS_DUMPS].flatMap(([name, text]) => {
  const dump = readDump(text)
  return IP_FAMILIES.flatMap((family) =>
    listFrontends(dump[family]).length > 0 ? [[name, dump[family]] as const] : [],
  )
})

describe.each(STATES)('an unknown source in %s', (_, state) => {
  it('has the outcomes of each possible source', () => {
    for (const { protocol, address, port } of listFrontends(state)) {
      const to = { origin: 'node', protocol, destination: address, destinationPort: port } as const
      const possible = outcomesOf(state, { ...to, source: SOURCES[state.family][0] ?? '', isSourceUnknown: true })
      for (const source of SOURCES[state.family])
        expect(possible).toEqual(expect.arrayContaining([...outcomesOf(state, { ...to, source })]))
    }
  })
})

function outcomesOf(state: NodeState, packet: Packet): readonly unknown[] {
  return trace(state, packet).map(({ outcome }) => outcome)
}
