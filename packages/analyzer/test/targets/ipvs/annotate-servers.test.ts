import { describe, expect, it } from 'vitest'
import { findServerOwners } from '../../../../compiler/src/dataplane/ipvs/claims.js'
import type { NodeState } from '../../../../compiler/src/dataplane/node-state.js'
import { lowered } from '../../../../compiler/test/support/ipvs-states.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { FRONTEND_READERS } from '../../../src/explain/explain.js'
import { annotateServerOwners } from '../../../src/targets/ipvs/annotate-servers.js'
import { trace } from '../../../src/trace/trace.js'

const port = servicePort({ endpoints: [endpoint()] })

describe('annotateServerOwners', () => {
  const other = servicePort({ name: 'svc2', clusterIP: '172.30.0.42', endpoints: [endpoint()] })
  const expected = lowered([port])
  const live = { family: 'IPv4', ipvs: { virtualServers: lowered([port, other]).ipvs.virtualServers } } as const

  it('assigns owners only to the expected virtual servers', () => {
    const { ipvs } = annotateServerOwners(live, expected)
    expect(ipvs?.virtualServers).toBe(live.ipvs.virtualServers)
    expect(findServerOwners(ipvs ?? live.ipvs)).toEqual(
      new Map([
        ['ipvs TCP 172.30.0.41:80', 'ns1/svc1:p80/TCP'],
        ['ipvs TCP 172.30.0.42:80', ''],
      ]),
    )
  })

  it('assigns no owners if no virtual servers are expected', () => {
    expect(annotateServerOwners(live)).toBe(live)
    expect(annotateServerOwners(live, { family: 'IPv4' })).toBe(live)
  })
})

describe('addresses of kube-ipvs0 that were not dumped', () => {
  const { addresses: _, ...withoutAddresses } = lowered([port])

  it('are those of the set, and perhaps others, because the set may be incomplete', () => {
    const { addresses, coverage } = annotateServerOwners(withoutAddresses)
    expect(addresses).toEqual({ addresses: ['172.30.0.41'] })
    expect(coverage).toEqual({ complete: ['nftables', 'ipset', 'ipvs', 'iptables'] })
  })

  it('leave the coverage of a partial dump as it is', () => {
    const coverage = { complete: ['ipset'] }
    expect(annotateServerOwners({ ...withoutAddresses, coverage }).coverage).toBe(coverage)
  })

  it('are bound or not, which the trace cannot know, if only their virtual server was dumped', () => {
    const sets = withoutAddresses.ipset.sets.map((set) =>
      set.name === 'KUBE-IPVS-IPS' ? { ...set, entries: [] } : set,
    )
    const state = annotateServerOwners({ ...withoutAddresses, ipset: { sets } })
    const packet = {
      origin: 'pod',
      source: '10.180.0.9',
      destination: '172.30.0.41',
      destinationPort: 80,
      protocol: 'TCP',
    } as const
    const outcomesOf = (traced: NodeState) =>
      trace(traced, packet, { addresses: ['192.168.0.2'] }).map(({ outcome }) => outcome.kind)
    expect(outcomesOf(state)).toContain('delivered')
    expect(outcomesOf(state)).toContain('unmatched')
    expect(outcomesOf(annotateServerOwners(withoutAddresses))).toEqual(['delivered'])
  })
})

describe('frontends in ipvs mode', () => {
  const state = lowered([servicePort({ nodePort: 3001, protocol: 'UDP' })])
  const expected = [
    ['172.30.0.41', 80],
    ['192.168.0.2', 3001],
    ['192.168.1.2', 3001],
  ].map(([address, at]) => ({ owner: 'ns1/svc1:p80/UDP', protocol: 'UDP', address, port: at }))

  it('are the virtual servers, each with its owner', () => {
    expect(FRONTEND_READERS.ipvs(state)).toEqual(expected)
  })

  it('always have known owners, and belong to only one family', () => {
    const foreign = lowered([servicePort({ clusterIP: 'fd00::41' })], { family: 'IPv6' }).ipvs.virtualServers
    const virtualServers = [...state.ipvs.virtualServers, ...foreign]
    expect(FRONTEND_READERS.ipvs({ family: 'IPv4', ipvs: { virtualServers } })).toEqual(
      expected.map((each) => ({ ...each, owner: '' })),
    )
    expect(FRONTEND_READERS.ipvs({ family: 'IPv4' })).toEqual([])
  })
})
