import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import type { NodeState } from '../../../src/dataplane/node-state.js'
import { cleanUpIpvs } from '../../../src/targets/ipvs/clean-up.js'
import { features } from '../../support/model-builder.js'

function stateOf(family: 'IPv4' | 'IPv6'): NodeState {
  const node = { metadata: { name: 'node-a' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } }
  const objects = { services: [], endpointSlices: [], endpoints: [], nodes: [node] }
  const [found] = compile(objects, { mode: 'ipvs', families: [family] }).families
  if (found === undefined) throw new Error(`nothing of ${family}`)
  return found.state
}

const comment = (text: string): readonly string[] => ['-m', 'comment', '--comment', text]

/** Table, chain, comment and target of each jump. */
const JUMPS: readonly (readonly string[])[] = [
  ['filter', 'INPUT', 'kubernetes ipvs access filter', 'KUBE-IPVS-FILTER'],
  ['filter', 'INPUT', 'kube-proxy firewall rules', 'KUBE-PROXY-FIREWALL'],
  ['filter', 'INPUT', 'kubernetes health check rules', 'KUBE-NODE-PORT'],
  ['filter', 'FORWARD', 'kube-proxy firewall rules', 'KUBE-PROXY-FIREWALL'],
  ['filter', 'FORWARD', 'kubernetes forwarding rules', 'KUBE-FORWARD'],
  ['filter', 'OUTPUT', 'kubernetes ipvs access filter', 'KUBE-IPVS-OUT-FILTER'],
  ['nat', 'PREROUTING', 'kubernetes service portals', 'KUBE-SERVICES'],
  ['nat', 'OUTPUT', 'kubernetes service portals', 'KUBE-SERVICES'],
  ['nat', 'POSTROUTING', 'kubernetes postrouting rules', 'KUBE-POSTROUTING'],
]

const NAT = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-NODE-PORT - [0:0]
:KUBE-LOAD-BALANCER - [0:0]
-X KUBE-SERVICES
-X KUBE-POSTROUTING
-X KUBE-NODE-PORT
-X KUBE-LOAD-BALANCER
COMMIT
`

const FILTER = `*filter
:KUBE-FORWARD - [0:0]
:KUBE-NODE-PORT - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
:KUBE-SOURCE-RANGES-FIREWALL - [0:0]
:KUBE-IPVS-FILTER - [0:0]
:KUBE-IPVS-OUT-FILTER - [0:0]
-X KUBE-FORWARD
-X KUBE-NODE-PORT
-X KUBE-PROXY-FIREWALL
-X KUBE-SOURCE-RANGES-FIREWALL
-X KUBE-IPVS-FILTER
-X KUBE-IPVS-OUT-FILTER
COMMIT
`

const SETS = `destroy KUBE-LOOP-BACK
destroy KUBE-CLUSTER-IP
destroy KUBE-EXTERNAL-IP
destroy KUBE-EXTERNAL-IP-LOCAL
destroy KUBE-LOAD-BALANCER
destroy KUBE-LOAD-BALANCER-FW
destroy KUBE-LOAD-BALANCER-LOCAL
destroy KUBE-LOAD-BALANCER-SOURCE-IP
destroy KUBE-LOAD-BALANCER-SOURCE-CIDR
destroy KUBE-NODE-PORT-TCP
destroy KUBE-NODE-PORT-LOCAL-TCP
destroy KUBE-NODE-PORT-UDP
destroy KUBE-NODE-PORT-LOCAL-UDP
destroy KUBE-NODE-PORT-SCTP-HASH
destroy KUBE-NODE-PORT-LOCAL-SCTP-HASH
destroy KUBE-HEALTH-CHECK-NODE-PORT
destroy KUBE-IPVS-IPS
`

const FEATURES = features({}, 'ipvs')

describe('cleanUpIpvs', () => {
  const runs = cleanUpIpvs(stateOf('IPv4'), FEATURES)

  it('first removes the servers, the dummy device and the jumps', () => {
    expect(runs.slice(0, 2)).toEqual([
      { tool: 'ipvsadm', args: ['-C'], input: '', purpose: 'remove all virtual servers' },
      {
        tool: 'ip',
        args: ['link', 'delete', 'kube-ipvs0'],
        input: '',
        purpose: 'remove the device of the Service addresses',
        allowFailure: true,
      },
    ])
    expect(runs.slice(2, 11)).toEqual(
      JUMPS.map(([table = '', chain = '', text = '', to = '']) => ({
        tool: 'iptables',
        args: ['-w', '5', '-t', table, '-D', chain, ...comment(text), '-j', to],
        input: '',
        purpose: `remove a jump from ${chain}`,
        allowFailure: true,
        nothingToDo: [1, 2],
      })),
    )
  })

  it('removes the chains except KUBE-MARK-MASQ after the jumps, and then the sets', () => {
    const restore = (table: string) => ({
      tool: 'iptables-restore',
      args: ['-w', '5', '-T', table, '--noflush', '--counters'],
      purpose: `remove the chains of table ${table}`,
    })
    expect(runs.slice(11)).toEqual([
      { ...restore('nat'), input: NAT },
      { ...restore('filter'), input: FILTER },
      { tool: 'ipset', args: ['restore', '-exist'], input: SETS, purpose: 'remove the sets' },
    ])
  })

  it('keeps the IPv6 sets, as kube-proxy does', () => {
    const tools = cleanUpIpvs(stateOf('IPv6'), FEATURES).map(({ tool }) => tool)
    expect(new Set(tools)).toEqual(new Set(['ipvsadm', 'ip', 'ip6tables', 'ip6tables-restore']))
  })

  it('returns no commands for subsystems that are missing in the state', () => {
    expect(cleanUpIpvs({ family: 'IPv4' }, FEATURES)).toEqual([])
    expect(cleanUpIpvs({ family: 'IPv4', ipset: { sets: [] } }, FEATURES)).toEqual([])
  })
})
