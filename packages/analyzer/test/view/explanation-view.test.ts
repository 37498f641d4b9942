import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import { nodesOf, outline } from '../../../compiler/test/support/view-lines.js'
import { webResult } from '../../../compiler/test/support/web-result.js'
import { explain } from '../../src/explain/explain.js'
import type { Explanation } from '../../src/explain/explain-paths.js'
import { explanationView } from '../../src/view/explanation-view.js'

const packet: Packet = {
  ...{ origin: 'pod', protocol: 'TCP', source: '10.244.1.9', destination: '10.96.0.10', destinationPort: 80 },
}
const WEB = { kind: 'Service', namespace: 'default', name: 'web' }
const SVC = 'KUBE-SVC-CDGGSHYLG3RE2FKL'
const [SEP_1, SEP_2] = ['KUBE-SEP-AFGSLHOD2HFNCBX4', 'KUBE-SEP-2RIJ5GIYXEFH6G4D']

function explained({ withPlan }: { readonly withPlan: boolean }): Explanation {
  const [family] = webResult('iptables').families
  if (family === undefined) throw new Error('no family')
  return explain(family.state, packet, { addresses: [], ...(withPlan && { plan: family.plan }) })
}

describe('explanationView', () => {
  it('contains the packet, the reason, and the paths below each fork', () => {
    expect(outline(explanationView(explained({ withPlan: true })))).toEqual([
      'packet: 10.244.1.9 -> 10.96.0.10:80/TCP, from a pod',
      '  reason: default/web:http, cluster IP: the traffic policy is Cluster: all endpoints; without local traffic detection the client IP is preserved',
      `  step: PREROUTING nat: KUBE-SERVICES > ${SVC}`,
      `  *step: 1/2 PREROUTING nat: ${SVC} > ${SEP_1} > DNAT --to-destination 10.244.1.5:8080`,
      '    outcome ok: => 10.244.1.5:8080',
      `  *step: 1/2 PREROUTING nat: ${SVC} > ${SEP_2} > DNAT --to-destination 10.244.2.7:8080`,
      '    outcome ok: => 10.244.2.7:8080',
    ])
  })

  it('contains the service port, its Service, and the rules of each line in iptables-save format', () => {
    const [view, , , branch] = nodesOf(explanationView(explained({ withPlan: true })))
    expect(view).toMatchObject({ servicePort: 'default/web:http/TCP', objects: [WEB] })
    expect(branch).toMatchObject({ id: '0.2', share: '1/2', servicePort: 'default/web:http/TCP', objects: [WEB] })
    const place = (chain: string) => ({ subsystem: 'iptables', location: `nat/${chain}` })
    expect(branch?.rules).toEqual([
      {
        ...place(SVC),
        text: `-A ${SVC} -m comment --comment "default/web:http -> 10.244.1.5:8080" -m statistic --mode random --probability 0.50000000000 -j ${SEP_1}`,
      },
      {
        ...place(SEP_1),
        text: `-A ${SEP_1} -p tcp -m comment --comment "default/web:http" -m tcp -j DNAT --to-destination 10.244.1.5:8080`,
      },
    ])
  })

  it('contains the owner of the rules if there is no plan', () => {
    expect(outline(explanationView(explained({ withPlan: false })))[1]).toBe('  owner: default/web:http/TCP')
  })

  it('contains a line for the condition of a fork', () => {
    const limit = '-A PREROUTING -m hashlimit --hashlimit-upto 5/sec -j DROP'
    const state = { family: 'IPv4', iptables: readState(`*mangle\n${limit}\nCOMMIT\n`) } as const
    const question = 'mangle -A PREROUTING -m hashlimit --hashlimit-upto 5/sec -j DROP'
    const view = explanationView(explain(state, { ...packet, origin: 'outside' }, { addresses: [] }))
    expect(outline(view).map((line) => line.replace(question, 'RULE'))).toEqual([
      'packet: 10.244.1.9 -> 10.96.0.10:80/TCP, from outside',
      '  *fork: if iptables RULE matches',
      '    step: PREROUTING mangle: DROP',
      '    outcome warning: => dropped',
      '  *fork: unless iptables RULE matches',
      '    outcome: => not handled by kube-proxy',
    ])
  })

  it.each([
    ['drift', 'error', 'the objects define a different outcome'],
    [
      'modeLimitation',
      'warning',
      'differs from the outcome that the objects define, because of a limitation of this mode',
    ],
    ['undetermined', 'warning', 'it is unknown whether the outcome differs from the one that the objects define'],
  ] as const)(
    'gives a difference of kind %s its severity, and the reason to the outcome of the objects',
    (divergence, severity, text) => {
      const reason = { subject: 'default/web, cluster IP', reason: 'it has no endpoints', expectedOutcome: 'rejected' }
      const view = explanationView({ packet, paths: [], reason: { ...reason, divergence } })
      expect(outline(view).slice(1)).toEqual([
        '  owner: default/web, cluster IP',
        `  difference ${severity}: ${text}: rejected (it has no endpoints)`,
      ])
    },
  )

  it('has no line for a Service if the objects have none', () => {
    const reason = {
      subject: '',
      reason: 'no Service has it',
      expectedOutcome: 'unmatched',
      divergence: 'drift',
    } as const
    expect(outline(explanationView({ packet, paths: [], reason })).slice(1)).toEqual([
      '  difference error: the objects define a different outcome: unmatched (no Service has it)',
    ])
  })

  it('names a rule that sends packets to an address that is not an endpoint', () => {
    const reason = {
      subject: '',
      reason: 'the policy is Cluster',
      expectedOutcome: '10.244.1.1:80',
      divergence: 'undetermined',
    } as const
    const textOf = (chain: string) => {
      const otherEndpoint = { endpoint: '10.244.9.9:80', chain }
      return outline(explanationView({ packet, paths: [], reason: { ...reason, otherEndpoint } }))[1]
    }
    const rest = 'so the outcome may differ from the one that the objects define: 10.244.1.1:80 (the policy is Cluster)'
    expect(textOf('KUBE-SEP-A')).toBe(
      `  difference warning: a rule of KUBE-SEP-A sends packets to 10.244.9.9:80, which is not an endpoint, ${rest}`,
    )
    expect(textOf('')).toBe(
      `  difference warning: a virtual server sends packets to 10.244.9.9:80, which is not an endpoint, ${rest}`,
    )
  })

  it('gives each outcome its severity', () => {
    const severityOf = (outcome: Explanation['paths'][number]['outcome']) =>
      nodesOf(
        explanationView({ packet, paths: [{ outcome, weight: '1', probability: 1, assumptions: [], steps: [] }] }),
      ).at(-1)?.severity
    expect(severityOf({ kind: 'delivered', address: '10.244.1.1', port: 80, masqueraded: false })).toBe('ok')
    expect(severityOf({ kind: 'proxy', port: 40000 })).toBe('ok')
    expect(severityOf({ kind: 'unmatched', to: 'forward', masqueraded: false } as never)).toBe('none')
    expect(severityOf({ kind: 'rejected', with: 'icmp-port-unreachable' })).toBe('warning')
    expect(severityOf({ kind: 'dropped' })).toBe('warning')
    expect(severityOf({ kind: 'unknown', reason: 'a rule' })).toBe('warning')
  })
})
