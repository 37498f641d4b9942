import { describe, expect, it } from 'vitest'
import { printRestore } from '../../../src/dataplane/iptables/print/print.js'
import type { LocalTrafficDetection } from '../../../src/model/node/local-traffic-detection.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import type { ClauseReason, FrontendKind } from '../../../src/plan/plan.js'
import { type Configuration, stateOf } from '../../support/iptables-states.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

// Every reason of a clause, at every kind of frontend, with the resulting rules. Impossible combinations are
// explicit.

const NAME = 'ns4/svc4:p80'
const SVC = 'KUBE-SVC-4SW47YFZTEDKD3PK'
const SVL = 'KUBE-SVL-4SW47YFZTEDKD3PK'
const EXT = 'KUBE-EXT-4SW47YFZTEDKD3PK'

const LOCAL = endpoint({ ip: '10.180.0.4', local: true })
const REMOTE = endpoint({ ip: '10.180.0.5' })

interface Cell {
  readonly port: Partial<Omit<ServicePort, 'id'>>
  readonly configuration?: Configuration
  /** The rules that result from the clause, in any order. */
  readonly rules: readonly string[]
  /** Text that no rule contains. */
  readonly absent: string
}

/** Fields that add one frontend of a kind to a service port, in addition to its cluster IP. */
const FRONTENDS: Readonly<Record<FrontendKind, Partial<Omit<ServicePort, 'id'>>>> = {
  clusterIP: {},
  externalIP: { externalIPs: ['192.0.2.1'] },
  loadBalancer: { loadBalancerIPs: ['198.51.100.1'] },
  nodePort: { nodePort: 30_080 },
}

const EXTERNAL: readonly Exclude<FrontendKind, 'clusterIP'>[] = ['externalIP', 'loadBalancer', 'nodePort']

/** The address of a frontend, in nat and, if different, in filter. */
const ADDRESS: Readonly<Record<FrontendKind, string>> = {
  clusterIP: '-m tcp -p tcp -d 172.30.0.44 --dport 80',
  externalIP: '-m tcp -p tcp -d 192.0.2.1 --dport 80',
  loadBalancer: '-m tcp -p tcp -d 198.51.100.1 --dport 80',
  nodePort: '-m tcp -p tcp --dport 30080',
}

const DISPATCH: Readonly<Record<FrontendKind, string>> = {
  clusterIP: `-A KUBE-SERVICES -m comment --comment "${NAME} cluster IP" ${ADDRESS.clusterIP}`,
  externalIP: `-A KUBE-SERVICES -m comment --comment "${NAME} external IP" ${ADDRESS.externalIP}`,
  loadBalancer: `-A KUBE-SERVICES -m comment --comment "${NAME} loadbalancer IP" ${ADDRESS.loadBalancer}`,
  nodePort: `-A KUBE-NODEPORTS -m comment --comment ${NAME} ${ADDRESS.nodePort}`,
}

function rejection(kind: FrontendKind, why: string, target: string): string {
  const chain = kind === 'clusterIP' ? 'KUBE-SERVICES' : 'KUBE-EXTERNAL-SERVICES'
  const where = kind === 'nodePort' ? '-m addrtype --dst-type LOCAL ' : ''
  return `-A ${chain} -m comment --comment "${NAME} ${why}" ${where}${ADDRESS[kind]} -j ${target}`
}

function external(cell: (kind: Exclude<FrontendKind, 'clusterIP'>) => Cell): Readonly<Record<string, Cell>> {
  return Object.fromEntries(EXTERNAL.map((kind) => [kind, cell(kind)]))
}

const NO_DETECTOR: Configuration = { node: { localTrafficDetection: undefined } }

/** `proxy` exists in userspace mode only. */
const MATRIX: Readonly<Record<Exclude<ClauseReason, 'proxy'>, Readonly<Partial<Record<FrontendKind, Cell>>>>> = {
  offCluster: {
    clusterIP: {
      port: { endpoints: [REMOTE] },
      rules: [
        `${DISPATCH.clusterIP} -j ${SVC}`,
        `-A ${SVC} -m comment --comment "${NAME} cluster IP" ${ADDRESS.clusterIP} ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ`,
      ],
      // Packets of the cluster are not masqueraded.
      absent: `${ADDRESS.clusterIP} -j KUBE-MARK-MASQ`,
    },
  },
  masqueradeAll: {
    clusterIP: {
      port: { endpoints: [LOCAL], internalPolicyLocal: true },
      configuration: { settings: { masqueradeAll: true } },
      rules: [
        `${DISPATCH.clusterIP} -j ${SVL}`,
        `-A ${SVL} -m comment --comment "${NAME} cluster IP" ${ADDRESS.clusterIP} -j KUBE-MARK-MASQ`,
      ],
      absent: '10.0.0.0/8',
    },
  },
  podShortCircuit: external((kind) => ({
    port: { endpoints: [LOCAL], externalPolicyLocal: true },
    rules: [
      `${DISPATCH[kind]} -j ${EXT}`,
      `-A ${EXT} -m comment --comment "pod traffic for ${NAME} external destinations" -s 10.0.0.0/8 -j ${SVC}`,
    ],
    // Policy Local preserves the source of external packets.
    absent: 'masquerade traffic for',
  })),
  nodeShortCircuit: external((kind) => ({
    port: { endpoints: [REMOTE], externalPolicyLocal: true },
    configuration: NO_DETECTOR,
    rules: [
      `${DISPATCH[kind]} -j ${EXT}`,
      `-A ${EXT} -m comment --comment "masquerade LOCAL traffic for ${NAME} external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ`,
      `-A ${EXT} -m comment --comment "route LOCAL traffic for ${NAME} external destinations" -m addrtype --src-type LOCAL -j ${SVC}`,
    ],
    absent: 'pod traffic',
  })),
  policy: {
    clusterIP: {
      port: { endpoints: [REMOTE] },
      configuration: NO_DETECTOR,
      rules: [`${DISPATCH.clusterIP} -j ${SVC}`],
      absent: `-A ${SVC} -m comment --comment "${NAME} cluster IP"`,
    },
    ...external((kind) => ({
      port: { endpoints: [REMOTE] },
      rules: [
        `${DISPATCH[kind]} -j ${EXT}`,
        `-A ${EXT} -m comment --comment "masquerade traffic for ${NAME} external destinations" -j KUBE-MARK-MASQ`,
        `-A ${EXT} -j ${SVC}`,
      ],
      absent: 'LOCAL traffic',
    })),
  },
  noEndpoints: {
    clusterIP: { port: {}, rules: [rejection('clusterIP', 'has no endpoints', 'REJECT')], absent: '-j KUBE-S' },
    ...external((kind) => ({
      port: {},
      rules: [rejection(kind, 'has no endpoints', 'REJECT')],
      absent: 'KUBE-EXT-',
    })),
  },
  noLocalEndpoints: {
    clusterIP: {
      port: { endpoints: [REMOTE], internalPolicyLocal: true },
      rules: [rejection('clusterIP', 'has no local endpoints', 'DROP')],
      absent: 'KUBE-SVL-',
    },
    ...external((kind) => ({
      port: { endpoints: [REMOTE], externalPolicyLocal: true },
      rules: [rejection(kind, 'has no local endpoints', 'DROP'), `${DISPATCH[kind]} -j ${EXT}`],
      absent: 'KUBE-SVL-',
    })),
  },
}

/** The possible reasons for each kind of frontend; `clauses.ts` does not produce the rest. */
const POSSIBLE: Readonly<Record<FrontendKind, readonly ClauseReason[]>> = {
  clusterIP: ['offCluster', 'masqueradeAll', 'policy', 'noEndpoints', 'noLocalEndpoints'],
  externalIP: ['podShortCircuit', 'nodeShortCircuit', 'policy', 'noEndpoints', 'noLocalEndpoints'],
  loadBalancer: ['podShortCircuit', 'nodeShortCircuit', 'policy', 'noEndpoints', 'noLocalEndpoints'],
  nodePort: ['podShortCircuit', 'nodeShortCircuit', 'policy', 'noEndpoints', 'noLocalEndpoints'],
}

const REASONS = Object.keys(MATRIX) as (keyof typeof MATRIX)[]
const KINDS = Object.keys(FRONTENDS) as FrontendKind[]
const CELLS = REASONS.flatMap((reason) => KINDS.map((kind) => ({ reason, kind, cell: MATRIX[reason][kind] })))

function stateOfCell(kind: FrontendKind, { port, configuration }: Cell) {
  const fields = { namespace: 'ns4', name: 'svc4', clusterIP: '172.30.0.44', ...FRONTENDS[kind], ...port }
  return stateOf([servicePort(fields)], configuration)
}

describe.each(CELLS)('a clause with the reason $reason at a frontend of kind $kind', ({ reason, kind, cell }) => {
  if (cell === undefined) {
    it('does not exist', () => {
      expect(POSSIBLE[kind]).not.toContain(reason)
    })
    return
  }
  const lines = printRestore(stateOfCell(kind, cell))
    .split('\n')
    .filter((line) => line.startsWith('-A '))

  it('exists', () => {
    expect(POSSIBLE[kind]).toContain(reason)
  })

  it('has the expected rules', () => {
    for (const rule of cell.rules) expect(lines).toContain(rule)
  })

  it('has no other rules', () => {
    const own = lines.filter((line) => kind === 'clusterIP' || !line.includes('cluster IP'))
    expect(
      own.filter(
        (line) => line.includes(cell.absent) && !line.includes('KUBE-SERVICES -m comment --comment "kubernetes'),
      ),
    ).toEqual([])
  })
})

describe('the rules for local traffic', () => {
  const port = { endpoints: [LOCAL], externalPolicyLocal: true, externalIPs: ['192.0.2.1'] }
  const detections: readonly (readonly [LocalTrafficDetection, string, string])[] = [
    [{ kind: 'interface', interface: 'cbr0' }, '-i cbr0', '! -i cbr0'],
    [{ kind: 'interfacePrefix', prefix: 'veth' }, '-i veth+', '! -i veth+'],
  ]

  it.each(detections)('match packets according to the detection %j', (localTrafficDetection, match, negated) => {
    const fields = { namespace: 'ns4', name: 'svc4', clusterIP: '172.30.0.44', ...port }
    const lines = printRestore(stateOf([servicePort(fields)], { node: { localTrafficDetection } })).split('\n')
    expect(lines).toContain(
      `-A ${SVC} -m comment --comment "${NAME} cluster IP" ${ADDRESS.clusterIP} ${negated} -j KUBE-MARK-MASQ`,
    )
    expect(lines).toContain(
      `-A ${EXT} -m comment --comment "pod traffic for ${NAME} external destinations" ${match} -j ${SVC}`,
    )
  })
})
