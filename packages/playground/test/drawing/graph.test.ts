import { describe, expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { formatPercent, graphOf } from '../../src/drawing/graph.js'
import { answerTo } from '../support/answers.js'

describe('graphOf', () => {
  const graph = graphOf(answerTo('seed-ngx-nodeport').paths)
  const labelled = (label: string) => graph.nodes.find((node) => node.label === label)

  it('returns the chains and the outcomes of all paths, in layers', () => {
    const [first] = graph.nodes
    expect(first).toMatchObject({ label: 'PREROUTING', stage: 'PREROUTING nat', layer: 0, probability: 1 })
    expect(labelled('KUBE-SVC-BZLGMOB35QVMRT4I')?.owner).toBe('default/ngx-dep-svc-nodeport:http/TCP')
    const ends = graph.nodes.filter(({ stage }) => stage === '').map(({ label }) => label)
    expect(ends).toEqual(['10.244.2.93:80', '10.244.3.86:80', '10.244.4.14:80'])
  })

  it('returns the share of packets at each fork', () => {
    const from = labelled('KUBE-SVC-BZLGMOB35QVMRT4I')?.id
    const shares = graph.edges.filter((edge) => edge.from === from).map(({ share }) => share)
    expect(shares.filter((share) => share !== '')).toEqual(['33 %', '33 %', '33 %'])
  })

  it('returns edges only to later layers and unique positions, for every example in every mode', () => {
    for (const { name, question } of readExamples()) {
      for (const mode of ['iptables', 'ipvs', 'nftables']) {
        const { nodes, edges, layers } = graphOf(answerTo(name, { mode, version: '', through: 'rules' }).paths)
        const layerOf = (id: string) => nodes.find((node) => node.id === id)?.layer ?? Number.NaN
        for (const { from, to } of edges) expect(layerOf(from), `${name} ${mode}`).toBeLessThan(layerOf(to))
        expect(new Set(nodes.map(({ layer, place }) => `${layer} ${place}`)).size).toBe(nodes.length)
        expect(nodes.every(({ layer }) => layer < layers)).toBe(true)
      }
      expect(question.objects).not.toBe('')
    }
  })

  it('returns an empty graph if there are no paths, and omits excess nodes', () => {
    expect(graphOf([])).toEqual({ nodes: [], edges: [], layers: 0, left: 0 })
    const [path] = answerTo('seed-ngx-nodeport').paths
    const many = Array.from({ length: 30 }, (_, index) => ({
      ...path,
      endpoint: `10.0.0.${index}:80`,
      outcome: `10.0.0.${index}:80`,
    }))
    expect(graphOf(many as Parameters<typeof graphOf>[0]).left).toBe(18)
  })
})

it('formatPercent prints a short number', () => {
  expect([1, 0.5, 1 / 3, 0.05, 0.0123].map(formatPercent)).toEqual(['100 %', '50 %', '33 %', '5 %', '1.2 %'])
})
