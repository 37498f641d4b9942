import { describe, expect, it } from 'vitest'
import { COMMAND_WRITERS } from '../../../../compiler/src/commands/command-writers.js'
import type { IpvsState } from '../../../../compiler/src/dataplane/ipvs/ast.js'
import { printListing, printRestore } from '../../../../compiler/src/dataplane/ipvs/print.js'
import { TOOL_NAMES } from '../../../../compiler/src/dataplane/tool-names.js'
import { lowered } from '../../../../compiler/test/support/ipvs-states.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { STATE_PARTITIONERS } from '../../../src/compare/state-partition.js'
import { detectIpvsDump, parseIpvs } from '../../../src/dataplane/ipvs/parse.js'
import { splitIpvsByOwner } from '../../../src/dataplane/ipvs/parts.js'
import { findLineOfRule, findLineOrigins, serverIdOfLine } from '../../../src/dataplane/ipvs/server-lines.js'
import { LOWERINGS } from '../../../src/trace/lowerings.js'

const SAVED = `-A -t 10.0.0.1:80 -s rr
-a -t 10.0.0.1:80 -r 10.1.1.1:8080 -m -w 1
-A -u 10.0.0.2:53 -s rr -p 360
-a -u 10.0.0.2:53 -r 10.1.1.2:53 -m -w 0
`

function stateOf(text: string): IpvsState {
  const parsed = parseIpvs(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value
}

describe('the server ID of an ipvs line', () => {
  it.each([
    ['-A -t 10.0.0.1:80 -s rr', 'ipvs TCP 10.0.0.1:80'],
    ['-a -u 10.0.0.1:53 -r 10.1.1.1:53 -m -w 1', 'ipvs UDP 10.0.0.1:53 10.1.1.1:53'],
    ['-A --sctp-service [fd00::1]:80 -s rr', 'ipvs SCTP [fd00::1]:80'],
    ['-A -f 1 -s rr', undefined],
    ['-D -t 10.0.0.1:80', undefined],
    ['x -A -t 10.0.0.1:80', undefined],
    ['-A KUBE-SERVICES -j ACCEPT', undefined],
    ['', undefined],
  ])('is read from "%s": %s', (line, place) => {
    expect(serverIdOfLine(line)).toBe(place)
  })
})

describe('the line of an ipvs rule', () => {
  const [server = '', real = '', other = '', otherReal = ''] = SAVED.split('\n')
  const listing = printListing(stateOf(SAVED)).split('\n')

  it.each([
    [server, 0, 3],
    [real, 1, 4],
    [other, 2, 5],
    [otherReal, 3, 6],
    ['-A -t 10.0.0.9:80 -s rr', undefined, undefined],
    ['-a -t 10.0.0.1:80 -r 10.1.1.2:53 -m -w 0', undefined, undefined],
    ['-A KUBE-SERVICES -j ACCEPT', undefined, undefined],
  ])('is found in commands and in a listing: %s', (rule, saved, listed) => {
    expect(findLineOfRule(rule, SAVED.split('\n'))).toBe(saved)
    expect(
      findLineOfRule(
        rule,
        listing.map((line) => line.trim()),
      ),
    ).toBe(listed)
  })

  it('is undefined if the rule is not an ipvsadm command', () => {
    expect(findLineOfRule('-S KUBE', ['-S KUBE'])).toBeUndefined()
    expect(findLineOfRule('x -A -t', ['x -A -t'])).toBeUndefined()
  })
})

describe('origins of lines', () => {
  const state = lowered([
    servicePort({ endpoints: [endpoint()] }),
    servicePort({ name: 'svc2', clusterIP: '172.30.0.42', protocol: 'UDP' }),
  ]).ipvs
  const FIRST = { owner: 'ns1/svc1:p80/TCP', place: 'ipvs TCP 172.30.0.41:80' }
  const SECOND = { owner: 'ns1/svc2:p80/UDP', place: 'ipvs UDP 172.30.0.42:80' }
  const REAL = { owner: 'ns1/svc1:p80/TCP', place: 'ipvs TCP 172.30.0.41:80 10.180.0.1:80' }
  const NOBODY = { owner: '', place: '' }
  const summary = (lines: readonly string[]) =>
    findLineOrigins(lines, state).map(({ owner, location, rules }) => [
      { owner, place: location },
      ...(rules?.().map(({ location: at, text }) => `${at}: ${text}`) ?? []),
    ])
  const rows = [
    [FIRST, `${FIRST.place}: -A -t 172.30.0.41:80 -s rr`],
    [REAL, `${REAL.place}: -a -t 172.30.0.41:80 -r 10.180.0.1:80 -m -w 1`],
    [SECOND, `${SECOND.place}: -A -u 172.30.0.42:80 -s rr`],
  ]

  it('are found in commands', () => {
    expect(summary(printRestore(state).trim().split('\n'))).toEqual(rows)
  })

  it('are found in listings', () => {
    const lines = printListing(state).trim().split('\n')
    expect(summary(lines)).toEqual([[NOBODY], [NOBODY], [NOBODY], ...rows])
  })

  it('are empty if the state does not contain the virtual server', () => {
    expect(summary(['-A -t 10.0.0.9:80 -s rr', 'TCP  10.0.0.9:80 rr', '  -> 10.1.1.9:80   Masq 1', '# x'])).toEqual([
      [NOBODY],
      [NOBODY],
      [NOBODY],
      [NOBODY],
    ])
  })
})

describe('virtual servers of an owner', () => {
  it('have the addresses of their Service as destinations', () => {
    const { ipvs } = lowered([
      servicePort({ nodePort: 3001, externalIPs: ['198.51.100.9'] }),
      servicePort({ name: 'svc2', clusterIP: '172.30.0.42' }),
    ])
    const parts = splitIpvsByOwner(ipvs)
    expect(parts?.shared).toEqual([undefined])
    expect(parts?.parts.map(({ owners, destinations, names }) => ({ owners, places: destinations, names }))).toEqual([
      {
        owners: ['ns1/svc1:p80/TCP'],
        places: ['172.30.0.41', '198.51.100.9', '192.168.0.2', '192.168.1.2'],
        names: [],
      },
      { owners: ['ns1/svc2:p80/TCP'], places: ['172.30.0.42'], names: [] },
    ])
    expect(parts?.parts.map(({ source }) => source)).toEqual(ipvs.contributions)
    expect(parts?.parts[1]?.value()).toEqual({
      virtualServers: ipvs.contributions?.[1]?.virtualServers,
      fallbackServers: [],
    })
  })

  it('are unknown in a state from a dump', () => {
    expect(splitIpvsByOwner(stateOf(SAVED))).toBeUndefined()
    expect(splitIpvsByOwner({ virtualServers: [], contributions: [] })).toBeUndefined()
  })
})

describe('the ipvs subsystem', () => {
  it.each([
    ['-A -t 10.0.0.1:80 -s rr', 'alike'],
    ['  -a -t 10.0.0.1:80 -r 10.1.1.1:80', 'alike'],
    ['-At 10.0.0.1:80', 'alike'],
    ['--add-service --tcp-service 10.0.0.1:80', 'alike'],
    ['--add-server --tcp-service 10.0.0.1:80', 'alike'],
    ['-A KUBE-SERVICES -j ACCEPT', undefined],
    ['x -A -t 10.0.0.1:80', undefined],
    ['-N', undefined],
  ])('recognizes the kind of the line "%s": %s', (line, ends) => {
    expect(detectIpvsDump(line)).toBe(ends)
  })

  it('lists the virtual servers, and the addresses that the node must have', () => {
    expect([...STATE_PARTITIONERS.ipvs.destinations(stateOf(SAVED))]).toEqual([
      { address: '10.0.0.1', port: '80' },
      { address: '10.0.0.2', port: '53' },
    ])
    expect([LOWERINGS.ipvs.needsAddresses, COMMAND_WRITERS.ipvs.appliesByLine]).toEqual([true, true])
    expect(LOWERINGS.ipvs.boundAddresses).toBeUndefined()
    expect(TOOL_NAMES.ipvs).toMatchObject({ printedBy: 'ipvsadm -Sn', contents: 'virtual servers' })
  })
})
