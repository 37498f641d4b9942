import { describe, expect, it } from 'vitest'
import { findServerOwners } from '../../../../compiler/src/dataplane/ipvs/claims.js'
import { lowered } from '../../../../compiler/test/support/ipvs-states.js'
import { endpoint, servicePort } from '../../../../compiler/test/support/model-builder.js'
import { FRONTEND_READERS } from '../../../src/explain/explain.js'
import { annotateServerOwners } from '../../../src/targets/ipvs/annotate-servers.js'

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
