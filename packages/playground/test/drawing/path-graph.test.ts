import { describe, expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { createPathGraph, formatPercent, joinBranches } from '../../src/drawing/path-graph.js'
import { answerTo } from '../support/answers.js'

const labelsOf = (chains: readonly { readonly label: string }[]) => chains.map(({ label }) => label)

describe('createPathGraph', () => {
  const graph = createPathGraph(answerTo('seed-ngx-nodeport').paths)

  it('returns the chains that all paths share before and after the random choice', () => {
    expect(labelsOf(graph.before)).toEqual([
      'PREROUTING',
      'KUBE-SERVICES',
      'KUBE-NODEPORTS',
      'KUBE-EXT-BZLGMOB35QVMRT4I',
      'KUBE-MARK-MASQ',
      'KUBE-SVC-BZLGMOB35QVMRT4I',
    ])
    expect(graph.before[0]?.stage).toBe('PREROUTING nat')
    expect(graph.before.at(-1)?.owner).toBe('default/ngx-dep-svc-nodeport:http/TCP')
    expect(labelsOf(graph.after)).toEqual([
      'FORWARD',
      'KUBE-PROXY-FIREWALL',
      'KUBE-FORWARD',
      'POSTROUTING',
      'KUBE-POSTROUTING',
    ])
  })

  it('returns a branch with its share and its outcome for each path', () => {
    expect(graph.branches.map(({ share, end, chains }) => [share, end, chains.length])).toEqual([
      ['1/3', '10.244.2.93:80', 1],
      ['1/3', '10.244.3.86:80', 1],
      ['1/3', '10.244.4.14:80', 1],
    ])
  })

  it('divides the chains at the endpoint choice when the mode has no endpoint chains', () => {
    const { before, after } = createPathGraph(answerTo('seed-ngx-nodeport', { mode: 'ipvs' }).paths)
    expect(before.at(-1)?.label).toBe('ipvs')
    expect(after[0]?.label).toBe('OUTPUT')
  })

  it('for every example in every mode returns each chain of a path once', () => {
    for (const { name } of readExamples()) {
      for (const mode of ['iptables', 'ipvs', 'nftables']) {
        const { paths } = answerTo(name, { mode, version: '', through: 'rules' })
        const { before, branches, after } = createPathGraph(paths)
        expect(branches.length, `${name} ${mode}`).toBe(paths.length)
        for (const { chains } of branches) {
          const ids = [...before, ...chains, ...after].map(({ stage, label }) => `${stage} ${label}`)
          expect(new Set(ids).size, `${name} ${mode}`).toBe(ids.length)
        }
      }
    }
  })

  it('returns an empty graph when there are no paths', () => {
    expect(createPathGraph([])).toEqual({ before: [], branches: [], after: [], left: 0 })
  })
})

describe('joinBranches', () => {
  const branch = (share: string, probability: number) =>
    ({ share, probability, chains: [], end: '10.0.0.1:80', kind: 'delivered' }) as const

  it('returns all branches if there are only a few', () => {
    const branches = [branch('1/2', 0.5), branch('1/2', 0.5)]
    expect(joinBranches(branches, 2)).toBe(branches)
  })

  it('joins the last branches, and shows their share if it is the same', () => {
    const joined = joinBranches(Array(50).fill(branch('1/50', 0.02)), 4)
    expect(joined.map(({ end }) => end).slice(2)).toEqual(['10.0.0.1:80', '+47, each 1/50'])
    expect(joined.at(-1)).toMatchObject({ share: '', kind: 'delivered' })
  })

  it('adds up the shares of joined branches if they differ', () => {
    const joined = joinBranches([branch('1/2', 0.5), branch('1/4', 0.25), branch('1/8', 0.125)], 2)
    expect(joined.at(-1)).toMatchObject({ end: '+2, 38 %' })
  })
})

it('formatPercent prints a short number', () => {
  expect([1, 0.5, 1 / 3, 0.05, 0.0123].map(formatPercent)).toEqual(['100 %', '50 %', '33 %', '5 %', '1.2 %'])
})
