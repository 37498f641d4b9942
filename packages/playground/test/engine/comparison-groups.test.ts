import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.js'
import { titleOfComparisonGroup } from '../../src/panes/comparison-group.js'
import { DEFAULT_REQUEST, type PlaygroundRequest } from '../../src/question/playground-request.js'
import { example } from '../support/answers.js'

function compare(question: PlaygroundRequest, against: string) {
  return createEngine().answer('comparison', { ...question, against })
}

describe('a comparison', () => {
  it.each([
    [
      'ipvs',
      'With ipvs instead of iptables, 2 of 2 Services behave differently: ' +
        '1 loses packets, 1 receives more packets, 2 keep the client IP. ' +
        'Packets that are not for a Service are handled differently, too.',
    ],
    [
      'nftables',
      'With nftables instead of iptables, 2 of 2 Services behave differently: 1 loses packets, 2 keep the client IP. ' +
        'Packets that are not for a Service are handled differently, too.',
    ],
  ])('counts the Services by the kind of their difference for %s', (against, sentence) => {
    expect(compare(example('dual-stack'), against).sentence).toBe(sentence)
  })

  it('describes the change from the older to the newer version, whichever was selected first', () => {
    const [question, older] = [example('every-frontend'), '1.20']
    const sentence =
      'With 1.37 instead of 1.20, 3 of 6 Services behave differently: 2 receive more packets, 2 fail differently. ' +
      'Packets that are not for a Service are handled differently, too.'
    expect(compare({ ...question, version: '1.37' }, older).sentence).toBe(sentence)
    expect(compare({ ...question, version: older }, '1.37').sentence).toBe(sentence)
  })

  it('names the number of Services if every Service behaves the same', () => {
    const objects =
      'kind: Service\napiVersion: v1\nmetadata: { name: web, namespace: default }\nspec: { clusterIP: 10.96.0.1, ports: [{ port: 80 }] }\n'
    expect(compare({ ...DEFAULT_REQUEST, objects }, '1.36').sentence).toBe(
      'With 1.37 instead of 1.36, the only Service behaves the same.',
    )
  })

  it('names only packets of no Service if all packets to Services are handled the same', () => {
    expect(compare(example('seed-ngx-nodeport'), '1.25').sentence).toBe(
      'With 1.37 instead of 1.25, all 6 Services behave the same. Only packets that are not for a Service are handled differently.',
    )
  })

  it('groups packets by difference, with lost packets first and packets of no Service last', () => {
    const { groups } = compare(example('dual-stack'), 'nftables')
    const shown = groups.map((group) => [
      titleOfComparisonGroup(group),
      group.isLost,
      [...new Set(group.packets.map(({ family }) => family))].join(),
    ])
    expect(shown).toEqual([
      ['1 Service loses packets: delivered → not handled by kube-proxy', true, 'IPv4'],
      ['2 Services keep the client IP: partly masqueraded → client IP', false, 'IPv4,IPv6'],
      ['Packets that are not for a Service: not handled by kube-proxy → rejected', false, 'IPv4,IPv6'],
      ['Packets that are not for a Service: dropped → not handled by kube-proxy', false, 'IPv4'],
    ])
    for (const { isLost, packets } of groups) {
      for (const { node } of packets) expect(node.severity === 'error').toBe(isLost)
    }
  })

  it.each([
    ['every-frontend', 'ipvs'],
    ['seed-ngx-nodeport', 'nftables'],
  ])('for %s with %s has example packets with the outcome of the first side', (name, against) => {
    const engine = createEngine()
    const question = example(name)
    const { groups } = engine.answer('comparison', { ...question, against })
    const examples = groups.flatMap(({ packets }) => packets.filter((each) => each.example !== ''))
    expect(examples.length).toBeGreaterThan(2)
    for (const { example: packet, node } of examples) {
      const { problem, paths } = engine.answer('packet', { ...question, packet })
      expect(problem, packet).toBe('')
      const [side] = node.children
      const delivered = paths.filter(({ kind }) => kind === 'delivered')
      for (const { endpoint } of delivered.slice(0, 1)) expect(side?.label, packet).toContain(endpoint)
      expect(/\d:\d/.test(side?.label ?? ''), packet).toBe(delivered.length > 0)
    }
  })
})
