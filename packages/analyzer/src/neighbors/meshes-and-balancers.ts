import type { Neighbor } from './neighbor.js'

/** Programs that serve packets of Services in addition to kube-proxy or instead of it: meshes, load balancers, DNS caches, VPNs. */
export const MESHES_AND_BALANCERS: readonly Neighbor[] = [
  {
    name: 'NodeLocal DNSCache',
    kind: 'DNS cache',
    signs: {
      chains: { filter: /^NODE-LOCAL-DNS$/ },
      comments: /^NodeLocal DNS Cache: /,
      // Before 1.22, its rules have no comment.
      ownRules:
        /^-A (?:PREROUTING|OUTPUT) -[ds] \S+ -p (?:tcp -m tcp|udp -m udp) --[ds]port (?:53|8080) -j (?:NOTRACK|CT --notrack)$/,
      interfaces: /^nodelocaldns$/,
    },
    effect:
      'listens on the cluster IP of the DNS Service on each node, and excludes packets to it from connection tracking',
    assessment:
      'normal; only ipvs mode still sends these packets to an endpoint, and the cache then needs an address of its own',
    serves: 'the DNS cache on this node answers them',
    remedy: {
      text: 'If names are not resolved, check with kubectl that the cache runs on this node',
      command: 'kubectl -n kube-system get pods -l k8s-app=node-local-dns -o wide',
    },
  },
  {
    name: 'Istio',
    kind: 'service mesh',
    signs: {
      chains: { nat: /^ISTIO_\w+$/, several: /^ISTIO_/ },
      tables: /^istio-/,
      comments: /^istio-/,
      sets: /^istio-/,
      marks: /^0x(?:539|111)\/0xfff$/,
    },
    effect:
      'redirects packets to its proxy in the network namespace of a pod (ports 15001, 15006 and, in ambient mode, 15008); on the node, only ambient mode writes rules, which set the source of probes',
    assessment: 'normal; a pod with a proxy does not use the rules of kube-proxy for Services of the mesh',
    serves: 'the proxy of Istio in the pod receives them and selects an endpoint itself',
    isOfPods: true,
    remedy: {
      text: 'If the packets should bypass the proxy, exclude their port with the annotation traffic.sidecar.istio.io/excludeOutboundPorts of the pod',
    },
  },
  {
    name: 'Linkerd',
    kind: 'service mesh',
    signs: { chains: { nat: /^PROXY_INIT_(?:REDIRECT|OUTPUT)$/ }, comments: /^proxy-init\// },
    effect: 'redirects packets to its proxy in the network namespace of a pod (ports 4140 and 4143)',
    assessment: 'normal; a pod with a proxy does not use the rules of kube-proxy for Services of the mesh',
    serves: 'the proxy of Linkerd in the pod receives them and selects an endpoint itself',
    isOfPods: true,
    remedy: {
      text: 'If the packets should bypass the proxy, exclude their port with the annotation config.linkerd.io/skip-outbound-ports of the pod',
    },
  },
  {
    name: 'kube-vip',
    kind: 'load balancer',
    signs: {
      chains: { mangle: /^KUBE-VIP-EGRESS$/ },
      tables: /^kube_vip/,
      comments:
        /^(?:a3ViZS12aXAK=kube-vip|\S+ kube-vip load balancer IP|kube-vip load balancer IP set mark for masquerade)/,
    },
    effect:
      'adds load-balancer IPs and the address of the control plane to an interface of one node; with egress, it sets the source of packets of pods',
    assessment:
      'normal; with load balancing of the control plane, it creates a virtual server of its own, which kube-proxy in ipvs mode must exclude',
    serves: 'kube-vip balances them itself',
    remedy: { text: 'In ipvs mode, add the address of the control plane to ipvs.excludeCIDRs of kube-proxy' },
  },
  {
    name: 'MetalLB',
    kind: 'load balancer',
    signs: {},
    effect:
      'writes no rules: it announces load-balancer IPs by ARP, NDP or BGP, and kube-proxy handles the packets on the node',
    assessment: 'normal; in ipvs mode, announcements by ARP need ipvs.strictARP: true',
    remedy: { text: 'Set ipvs.strictARP of kube-proxy to true' },
  },
  {
    name: 'K3s ServiceLB',
    kind: 'load balancer',
    signs: {},
    effect:
      'writes no rules on the node: its pods (svclb-…) use hostPorts, for which CNI portmap writes rules, and their own rules send packets to the cluster IP',
    assessment:
      'normal; packets from outside to a load-balancer IP that is an address of the node go to the pod svclb-…',
    remedy: {
      text: 'Check with kubectl that the pods of ServiceLB run',
      command: 'kubectl -n kube-system get pods -l svccontroller.k3s.cattle.io/svcname -o wide',
    },
  },
  {
    name: 'Tailscale',
    kind: 'VPN',
    signs: {
      chains: { several: /^ts-(?:input|forward|postrouting)$/ },
      interfaces: /^tailscale\d+$/,
      marks: /^0x(?:40000|80000)\/0xff0000$/,
    },
    effect:
      'drops packets from 100.64.0.0/10 that do not arrive through its interface, and masquerades packets that it forwards',
    assessment: 'normal; a fault if the network of pods, Services or nodes overlaps with 100.64.0.0/10',
    remedy: {
      text: 'If these addresses belong to pods, nodes or clients outside of Tailscale, start it with --netfilter-mode=off, or use other addresses',
    },
  },
  {
    name: 'WireGuard (wg-quick)',
    kind: 'VPN',
    signs: { tables: /^wg-quick-/, comments: /^wg-quick\(8\) rule for /, interfaces: /^(?:wg|kilo)\d+$/ },
    effect: 'drops packets to its own address that do not arrive through its interface, and marks its own packets',
    assessment: 'normal; packets of Services to the address of the tunnel must arrive through it',
    remedy: { text: 'Send to another address of the node, or through the tunnel' },
  },
]
