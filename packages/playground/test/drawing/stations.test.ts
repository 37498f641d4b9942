import { describe, expect, it } from 'vitest'
import { NODE, stationsOf } from '../../src/drawing/stations.js'
import { answerTo } from '../support/ways.js'

function stations(name: string, fields = {}) {
  const { packet, ways } = answerTo(name, fields)
  const [way] = ways
  if (packet === undefined || way === undefined) throw new Error('a packet has a way')
  return stationsOf(packet, way, ways)
}

describe('stationsOf', () => {
  it('has the packet addresses at each hook handler', () => {
    const [prerouting, forward, postrouting] = stations('seed-ngx-nodeport')
    expect(prerouting).toMatchObject({
      name: 'PREROUTING nat',
      destination: '192.168.0.41:30080',
      changesDestination: true,
    })
    expect(forward).toMatchObject({ source: '198.51.100.1', destination: '10.244.2.93:80', changesDestination: false })
    expect(postrouting).toMatchObject({ name: 'POSTROUTING nat', source: '198.51.100.1', changesSource: true })
  })

  it('marks random decisions', () => {
    const steps = stations('seed-ngx-nodeport').flatMap((station) => station.steps)
    expect(steps.filter(({ share }) => share !== '')).toMatchObject([
      { chain: 'KUBE-SVC-BZLGMOB35QVMRT4I', share: '1/3' },
    ])
  })

  it('finds the handler that rewrites the destination in each mode', () => {
    for (const mode of ['iptables', 'ipvs', 'nftables']) {
      const changing = stations('seed-ngx-nodeport', { mode }).filter(({ changesDestination }) => changesDestination)
      expect(changing, mode).toHaveLength(1)
    }
  })

  it('has the node address as source after masquerading', () => {
    const all = stations('seed-ngx-nodeport', { mode: 'ipvs' })
    const masquerade = all.findIndex(({ changesSource }) => changesSource)
    expect(masquerade).toBeGreaterThan(0)
    for (const { source } of all.slice(masquerade + 1)) expect(source).toBe(NODE)
  })
})
