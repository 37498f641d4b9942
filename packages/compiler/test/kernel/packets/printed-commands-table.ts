import type { Packet } from '@kube-rules/types'
import { serviceAddress } from './cluster.js'
import { ADDRESSES, type Place } from './topology.js'

/** A fault made by hand, and the commands that the diagnosis of a packet prints for it. */
export interface PrintedCommand {
  readonly fault: readonly string[]
  readonly name: string
  readonly mode: 'iptables' | 'nftables'
  readonly from: Place
  readonly to: string
  readonly port: number
  /** The outcome of the packet with the fault: the error of the client. */
  readonly before: 'drop' | 'reject'
  /** The commands of the diagnosis, in order. They are run as printed. */
  readonly commands: readonly string[]
  /** The place that responds after the commands. */
  readonly after: string
}

const clusterIP = (name: Parameters<typeof serviceAddress>[1]) => serviceAddress('clusterIP', name, 'IPv4')
const toSelf = { from: 'pod2', to: clusterIP('self'), port: 80, after: 'pod1' } as const
const toNodePort = (port: number) => ({ from: 'client', to: ADDRESSES.node.IPv4, port }) as const

const RESTART = 'kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=node'

export const PRINTED_COMMANDS: readonly PrintedCommand[] = [
  {
    name: 'a firewall rule of FORWARD drops packets to the endpoint',
    mode: 'iptables',
    fault: ['iptables -I FORWARD -p tcp --dport 8080 -j DROP'],
    ...{ ...toSelf, before: 'drop' },
    commands: ['iptables -t filter -I FORWARD 1 -s 10.244.0.0/16 -d 10.244.1.11 -p tcp --dport 8080 -j ACCEPT'],
  },
  {
    name: 'the second rule of FORWARD rejects packets to the endpoint',
    mode: 'iptables',
    fault: ['iptables -I FORWARD -p tcp --dport 8080 -j REJECT', 'iptables -I FORWARD -p tcp --dport 9 -j ACCEPT'],
    ...{ ...toSelf, before: 'reject' },
    commands: ['iptables -t filter -I FORWARD 2 -s 10.244.0.0/16 -d 10.244.1.11 -p tcp --dport 8080 -j ACCEPT'],
  },
  {
    name: 'the policy of FORWARD drops packets',
    mode: 'iptables',
    fault: ['iptables -P FORWARD DROP'],
    ...{ ...toSelf, before: 'drop' },
    commands: ['iptables -t filter -A FORWARD -s 10.244.0.0/16 -d 10.244.1.11 -p tcp --dport 8080 -j ACCEPT'],
  },
  {
    name: 'a rule of OUTPUT drops packets of the node',
    mode: 'iptables',
    fault: ['iptables -I OUTPUT -d 10.244.0.0/16 -p tcp -j DROP'],
    ...{ ...toSelf, from: 'node', before: 'drop', after: 'pod1*' },
    commands: ['iptables -t filter -I OUTPUT 1 -d 10.244.1.11 -p tcp --dport 8080 -j ACCEPT'],
  },
  {
    name: 'a rule of table raw drops packets before the rules of kube-proxy',
    mode: 'iptables',
    fault: [`iptables -t raw -I PREROUTING -d ${clusterIP('self')} -j DROP`],
    ...{ ...toSelf, before: 'drop' },
    commands: [`iptables -t raw -I PREROUTING 1 -s 10.244.0.0/16 -d ${clusterIP('self')} -p tcp --dport 80 -j ACCEPT`],
  },
  {
    name: 'a rule drops packets to each of several endpoints',
    mode: 'iptables',
    fault: ['iptables -I FORWARD -p tcp --dport 8080 -j DROP'],
    ...{ ...toNodePort(30080), before: 'drop', after: 'pod1* pod2* pod3*' },
    commands: ['iptables -t filter -I FORWARD 1 -d 10.244.1.11,10.244.1.12,10.244.2.13 -p tcp --dport 8080 -j ACCEPT'],
  },
  {
    name: 'externalTrafficPolicy is Local, and the endpoint is on another node',
    mode: 'iptables',
    fault: [],
    ...{ ...toNodePort(30091), before: 'drop', after: 'pod3*' },
    commands: [`kubectl -n lab patch svc away -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'`],
  },
  {
    name: 'internalTrafficPolicy is Local, and the endpoint is on another node',
    mode: 'iptables',
    fault: [],
    ...{ from: 'pod1', to: clusterIP('outside'), port: 80, before: 'drop', after: 'pod3' },
    commands: [`kubectl -n lab patch svc outside -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'`],
  },
  {
    name: 'no source range contains the address of the node',
    mode: 'iptables',
    fault: [],
    ...{
      from: 'node',
      to: serviceAddress('loadBalancer', 'ranged', 'IPv4'),
      port: 80,
      before: 'drop',
      after: 'pod1* pod2* pod3*',
    },
    commands: [
      `kubectl -n lab patch svc ranged -p '{"spec":{"loadBalancerSourceRanges":["192.0.2.2/32","192.0.2.1/32"]}}'`,
    ],
  },
  {
    name: 'KUBE-SERVICES has no rule for the cluster IP, so a rule of FORWARD drops packets to it',
    mode: 'iptables',
    fault: [
      `iptables-save -t nat | grep -v -- '-A KUBE-SERVICES -d ${clusterIP('self')}/32' | iptables-restore -T nat`,
      `iptables -A FORWARD -d ${clusterIP('self')} -j DROP`,
    ],
    ...{ ...toSelf, before: 'drop' },
    commands: [RESTART],
  },
  {
    name: 'a firewall rule of iptables drops packets to the endpoint',
    mode: 'nftables',
    fault: ['iptables -I FORWARD -p tcp --dport 8080 -j DROP'],
    ...{ ...toSelf, before: 'drop' },
    commands: ['iptables -t filter -I FORWARD 1 -s 10.244.0.0/16 -d 10.244.1.11 -p tcp --dport 8080 -j ACCEPT'],
  },
  {
    name: 'externalTrafficPolicy is Local, and the endpoint is on another node',
    mode: 'nftables',
    fault: [],
    ...{ ...toNodePort(30091), before: 'drop', after: 'pod3*' },
    commands: [`kubectl -n lab patch svc away -p '{"spec":{"externalTrafficPolicy":"Cluster"}}'`],
  },
  {
    name: 'the map of Services has no element for the cluster IP',
    mode: 'nftables',
    fault: [`nft delete element ip kube-proxy service-ips '{ ${clusterIP('self')} . tcp . 80 }'`],
    ...{ ...toSelf, before: 'reject' },
    commands: [RESTART],
  },
]

/** The packet of a fault. */
export function packetOfFault({ from, to, port }: PrintedCommand): Packet {
  const isOfNode = from === 'node'
  return {
    origin: isOfNode ? 'node' : from === 'client' ? 'outside' : 'pod',
    protocol: 'TCP',
    source: ADDRESSES[from].IPv4,
    destination: to,
    destinationPort: port,
    inInterface: isOfNode ? undefined : from === 'client' ? 'ext' : from,
  }
}
