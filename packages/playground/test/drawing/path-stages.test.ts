import { describe, expect, it } from 'vitest'
import { createPathStages, listOtherBranches, MASQUERADED_SOURCE } from '../../src/drawing/path-stages.js'
import { answerTo, example } from '../support/answers.js'

function stages(name: string, fields = {}) {
  const { packet, paths } = answerTo(name, fields)
  const [path] = paths
  if (packet === undefined || path === undefined) throw new Error('a packet has a way')
  return createPathStages(packet, path, paths)
}

describe('createPathStages', () => {
  it('returns the packet addresses at each hook handler', () => {
    const [prerouting, forward, postrouting] = stages('seed-ngx-nodeport')
    expect(prerouting).toMatchObject({
      name: 'PREROUTING nat',
      destination: '192.168.0.41:30080',
      changesDestination: true,
    })
    expect(forward).toMatchObject({ source: '198.51.100.1', destination: '10.244.2.93:80', changesDestination: false })
    expect(postrouting).toMatchObject({ name: 'POSTROUTING nat', source: '198.51.100.1', changesSource: true })
  })

  it('marks each random decision with its share', () => {
    const steps = stages('seed-ngx-nodeport').flatMap((stage) => stage.steps)
    expect(steps.filter(({ share }) => share !== '')).toMatchObject([
      { chain: 'KUBE-SVC-BZLGMOB35QVMRT4I', share: '1/3' },
    ])
  })

  it('in each mode marks the only handler that rewrites the destination', () => {
    for (const mode of ['iptables', 'ipvs', 'nftables']) {
      const changing = stages('seed-ngx-nodeport', { mode }).filter(({ changesDestination }) => changesDestination)
      expect(changing, mode).toHaveLength(1)
    }
  })

  it('returns the node address as the source if the packet is masqueraded', () => {
    const all = stages('seed-ngx-nodeport', { mode: 'ipvs' })
    const masquerade = all.findIndex(({ changesSource }) => changesSource)
    expect(masquerade).toBeGreaterThan(0)
    for (const { source } of all.slice(masquerade + 1)) expect(source).toBe(MASQUERADED_SOURCE)
  })
})

describe('listOtherBranches', () => {
  const branches = (name: string, fields = {}) => {
    const { paths } = answerTo(name, fields)
    return paths.map((path) => listOtherBranches(path, paths))
  }

  it('returns the weight and the endpoint of each other branch', () => {
    expect(branches('node-port')).toEqual([['or 1/2: 10.244.2.7:8080'], ['or 1/2: 10.244.1.5:8080']])
  })

  it('returns nothing for the only path', () => {
    expect(branches('node-port', { packet: 'from outside → node:30081' })).toEqual([[]])
  })

  it('counts further branches', () => {
    const many = ['10.244.1.6', '10.244.1.7', '10.244.1.8']
    const { objects } = example('node-port')
    const more = many.map((address) => `  - addresses: [${address}]\n    nodeName: node-1\n`).join('')
    const [first] = branches('node-port', { objects: objects.replace('endpoints:\n', `endpoints:\n${more}`) })
    expect(first).toEqual(['or 1/5: 10.244.1.6:8080', 'or 1/5: 10.244.1.7:8080', 'or 2 more'])
  })
})
