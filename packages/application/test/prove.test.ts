import type { Proof } from '@kube-rules/analyzer'
import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { exitCodeOfProofs, formatProof, printProofs, printProofsJson } from '../src/prove.js'

const CONTEXT = { mode: 'iptables', kubernetesVersion: '1.34', diagnostics: [], assumed: [], notRead: [] } as const
const PACKET: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '198.51.100.1',
  destination: '10.96.0.1',
  destinationPort: 80,
}
const DIFFERENCE = {
  packet: PACKET,
  condition: 'TCP 10.96.0.1:80, from the network, any other source',
  packetGroups: [{ destinations: ['TCP 10.96.0.1:80'], arrivals: ['from the network'], sources: ['any other source'] }],
  classes: 1,
  services: ['d/web:http/TCP'],
  a: { outcomes: { dropped: '1' }, paths: [] },
  b: { outcomes: { '10.244.1.5:8080': '1' }, paths: [] },
}
const PROVEN: Proof = {
  ...{
    family: 'IPv4',
    verdict: 'proven',
    classes: 20,
    limitations: [{ code: 'loopbackGuarded', classes: 8, packet: PACKET }],
  },
  ...{ counterexamples: [], inconclusive: [], notProven: [] },
}
const REFUTED: Proof = { ...PROVEN, verdict: 'refuted', limitations: [], counterexamples: [DIFFERENCE] }
const CUT: Proof = { ...PROVEN, verdict: 'inconclusive', limitations: [], notProven: ['10.96.0.1', '10.96.0.2'] }

describe('formatProof', () => {
  it('prints the number of classes and the limitations of a proof', () => {
    expect(formatProof(PROVEN, CONTEXT)).toBe(
      'IPv4: rules of iptables mode, 1.34: proven for every packet, 20 classes; limitations of iptables mode: loopbackGuarded (8)',
    )
  })

  it('prints the number of destinations that a proof leaves undecided', () => {
    expect(formatProof(CUT, CONTEXT)).toBe(
      'IPv4: rules of iptables mode, 1.34: inconclusive, 2 destinations have too many classes, 20 classes',
    )
  })
})

describe('printProofs', () => {
  it('prints a counterexample with both outcomes', () => {
    expect(
      printProofs([REFUTED], CONTEXT),
    ).toBe(`IPv4: rules of iptables mode, 1.34: refuted, 1 counterexample in 20 classes

differs: TCP 10.96.0.1:80, from the network, any other source (d/web:http/TCP)
  rules: dropped
  plan: 10.244.1.5:8080

1 difference in 20 classes of packets

`)
  })

  it('prints the same counterexample as JSON', () => {
    const { families } = JSON.parse(printProofsJson([REFUTED], CONTEXT))
    expect(families[0].counterexamples).toEqual([
      {
        ...{ packet: PACKET, condition: DIFFERENCE.condition, classes: 1, services: ['d/web:http/TCP'] },
        ...{ rules: { outcomes: { dropped: '1' } }, plan: { outcomes: { '10.244.1.5:8080': '1' } } },
      },
    ])
  })
})

describe('exitCodeOfProofs', () => {
  it.each([
    [[PROVEN, PROVEN], [], 0],
    [[PROVEN, PROVEN], ['overlays'], 2],
    [[PROVEN, CUT], [], 2],
    [[CUT, REFUTED], ['overlays'], 1],
  ] as const)(
    'returns different codes for proven, refuted and inconclusive proofs: %#',
    (proofs, notRead, expected) => {
      expect(exitCodeOfProofs(proofs, notRead)).toBe(expected)
    },
  )
})
