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
    serves: 'kube-vip balances them itself',
    remedy: { text: 'In ipvs mode, add the address of the control plane to ipvs.excludeCIDRs of kube-proxy' },
  },
  {
    name: 'MetalLB',
    kind: 'load balancer',
    signs: {},
    remedy: { text: 'Set ipvs.strictARP of kube-proxy to true' },
  },
  {
    name: 'K3s ServiceLB',
    kind: 'load balancer',
    signs: {},
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
    remedy: {
      text: 'If these addresses belong to pods, nodes or clients outside of Tailscale, start it with --netfilter-mode=off, or use other addresses',
    },
  },
  {
    name: 'WireGuard (wg-quick)',
    kind: 'VPN',
    signs: { tables: /^wg-quick-/, comments: /^wg-quick\(8\) rule for /, interfaces: /^(?:wg|kilo)\d+$/ },
    remedy: { text: 'Send to another address of the node, or through the tunnel' },
  },
]
