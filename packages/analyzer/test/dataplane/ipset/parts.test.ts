import { describe, expect, it } from 'vitest'
import { COMMAND_WRITERS } from '../../../../compiler/src/commands/command-writers.js'
import type { Entry, EntryContribution, IpsetState } from '../../../../compiler/src/dataplane/ipset/ast.js'
import { buildIpsetState } from '../../../../compiler/src/dataplane/ipset/claims.js'
import { TOOL_NAMES } from '../../../../compiler/src/dataplane/tool-names.js'
import { ipsetDefinitionOf } from '../../../../compiler/src/targets/ipvs/sets.js'
import { hashSet, portBitmap } from '../../../../compiler/test/dataplane/ipset/states.js'
import { STATE_PARTITIONERS } from '../../../src/compare/state-partition.js'
import { detectIpsetDump } from '../../../src/dataplane/ipset/parse.js'
import { splitIpsetByOwner } from '../../../src/dataplane/ipset/parts.js'
import { LOWERINGS } from '../../../src/trace/lowerings.js'

const ADDRESSES = ipsetDefinitionOf('KUBE-IPVS-IPS', 'IPv4')
const PORTS = ipsetDefinitionOf('KUBE-NODE-PORT-TCP', 'IPv4')

const ip = (address: string, options?: readonly string[]): Entry => ({
  kind: 'ip',
  address,
  ...(options && { options }),
})

function stateOf(...contributions: readonly EntryContribution[]): IpsetState {
  return buildIpsetState([ADDRESSES, PORTS], () => contributions)
}

const atAddresses = (owner: string, ...entries: readonly Entry[]): EntryContribution => ({
  owner,
  entries: entries.map((entry) => ({ set: ADDRESSES, entry })),
})

describe('ipset entries of an owner', () => {
  it('have the address in the entry as destination', () => {
    const state = stateOf(atAddresses('a', ip('10.0.0.1'), ip('10.0.0.2')), atAddresses('b'))
    const parts = splitIpsetByOwner(state)
    expect(parts?.shared).toEqual([ADDRESSES, PORTS])
    expect(parts?.parts.map(({ owners, destinations, names }) => ({ owners, destinations, names }))).toEqual([
      { owners: ['a'], destinations: ['10.0.0.1', '10.0.0.2'], names: [] },
      { owners: ['b'], destinations: [], names: [] },
    ])
    expect(parts?.parts[0]?.source).toBe(state.contributions?.[0]?.entries)
  })

  it('belong to every owner if the entry has no address', () => {
    const port: EntryContribution = { owner: 'a', entries: [{ set: PORTS, entry: { kind: 'port', port: 80 } }] }
    const [, , value] = splitIpsetByOwner(stateOf(port))?.shared ?? []
    expect(value).toEqual([{ name: 'KUBE-NODE-PORT-TCP', kind: 'port', port: 80 }])
    expect(splitIpsetByOwner(stateOf(port))?.parts).toEqual([])
  })

  it.each([
    [undefined, undefined],
    [
      ['timeout', '5'],
      ['timeout', '5'],
    ],
    [
      ['comment', 'web', 'timeout', '5'],
      ['timeout', '5'],
    ],
    [
      ['timeout', '5', 'comment', 'web'],
      ['timeout', '5'],
    ],
  ])('keep all options except comments: %j', (options, kept) => {
    const [part] = splitIpsetByOwner(stateOf(atAddresses('a', ip('10.0.0.1', options))))?.parts ?? []
    expect(part?.value()).toEqual([{ name: 'KUBE-IPVS-IPS', kind: 'ip', address: '10.0.0.1', options: kept }])
  })

  it('have unknown owners if the state comes from a dump', () => {
    expect(splitIpsetByOwner({ sets: [] })).toBeUndefined()
    expect(splitIpsetByOwner({ sets: [], definitions: [], contributions: [] })).toBeUndefined()
  })
})

describe('an ipset with entries of several owners', () => {
  it('has sorted entries without duplicates', () => {
    const state = stateOf(
      {
        owner: 'a',
        entries: [
          { set: PORTS, entry: { kind: 'port', port: 30000 } },
          { set: PORTS, entry: { kind: 'port', port: 9 } },
          { set: ADDRESSES, entry: ip('10.0.0.2') },
        ],
      },
      atAddresses('b', ip('10.0.0.10'), ip('10.0.0.2')),
    )
    expect(state.sets.map(({ entries }) => entries)).toEqual([
      [ip('10.0.0.10'), ip('10.0.0.2')],
      [
        { kind: 'port', port: 9 },
        { kind: 'port', port: 30000 },
      ],
    ])
  })
})

describe('the ipset subsystem', () => {
  it.each([
    ['create S hash:ip', 'alike'],
    ['  add S 10.0.0.1', 'alike'],
    ['add', 'alike'],
    ['address add 10.0.0.1/32', undefined],
    ['x create S', undefined],
    ['flush S', undefined],
  ])('recognizes the kind of the line "%s": %s', (line, ends) => {
    expect(detectIpsetDump(line)).toBe(ends)
  })

  it('lists the address of each entry, and the port if the entry has a port', () => {
    const sets = [
      hashSet('hash:ip', 'A', [ip('10.0.0.1')]),
      hashSet('hash:ip,port', 'P', [{ kind: 'ip,port', address: '10.0.0.2', protocol: 'tcp', port: 80 }]),
      portBitmap('B', [80]),
    ]
    expect([...STATE_PARTITIONERS.ipset.destinations({ sets })]).toEqual([
      { address: '10.0.0.1', port: undefined },
      { address: '10.0.0.2', port: '80' },
    ])
    expect(LOWERINGS.ipset.lower).toBeUndefined()
    expect(TOOL_NAMES.ipset).toMatchObject({ printedBy: 'ipset save', contents: 'sets' })
    expect(COMMAND_WRITERS.ipset.appliesByLine).toBe(true)
  })
})
