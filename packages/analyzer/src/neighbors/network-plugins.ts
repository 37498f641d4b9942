import type { Neighbor, NeighborStep } from './neighbor.js'

const CHECK_POLICIES: NeighborStep = {
  text: 'Check with kubectl whether a network policy is the reason',
  command: 'kubectl get networkpolicies -A',
}

/** Returns a check whether a program serves Services: then the cluster has no kube-proxy. */
function checkForKubeProxy(name: string): NeighborStep {
  return {
    text: `Check with kubectl whether the cluster runs kube-proxy; if it lists none, ${name} serves Services`,
    command: 'kubectl get pods -A -l k8s-app=kube-proxy',
  }
}

/** Network plugins (CNI), and controllers of network policies. */
export const NETWORK_PLUGINS: readonly Neighbor[] = [
  {
    name: 'Calico',
    kind: 'network plugin',
    signs: {
      chains: {
        nat: /^cali-(?:nat-outgoing|fip-dnat|fip-snat)$/,
        filter: /^cali-(?:INPUT|FORWARD|wl-to-host|from-\S+|to-\S+|tw-\S+|fw-\S+|p[io]-\S+|pr[io]-\S+|cidr-block)$/,
        several: /^cali-/,
      },
      tables: /^calico$/,
      comments: /^cali:/,
      sets: /^cali(?:40|60|4t|6t)/,
      interfaces: /^(?:cali|tunl0$|vxlan\.calico$|wireguard\.cali$)/,
    },
    replacement: {
      text: 'Check with kubectl whether the eBPF mode of Calico replaces kube-proxy: then bpfEnabled is true',
      command: "kubectl get felixconfigurations default -o jsonpath='{.spec.bpfEnabled}'",
    },
    remedy: CHECK_POLICIES,
    insertAfter: {
      text: "Configure Calico with kubectl to append its rules after kube-proxy's",
      command: `kubectl patch felixconfiguration default --type merge -p '{"spec":{"chainInsertMode":"Append"}}'`,
      impact:
        'for all nodes: NetworkPolicies no longer apply to packets that other programs, including kube-proxy, accept first; check with the owner of the policies',
    },
  },
  {
    name: 'Cilium',
    kind: 'network plugin',
    signs: {
      chains: {
        nat: /^(?:OLD_)?CILIUM_(?:\w+_)?(?:PRE|POST|OUTPUT)_nat$/,
        mangle: /^(?:OLD_)?CILIUM_(?:\w+_)?(?:PRE|POST)_mangle$/,
        raw: /^(?:OLD_)?CILIUM_(?:\w+_)?(?:PRE|OUTPUT)_raw$/,
        filter: /^(?:OLD_)?CILIUM_(?:INPUT|OUTPUT|FORWARD)$/,
      },
      comments: /^cilium(?:-feeder)?:/,
      sets: /^cilium_/,
      interfaces: /^(?:cilium_|lxc)/,
      marks: /^0x(?:200|c00|d00|e00)\/0xf00$/,
    },
    effect:
      'applies policies with eBPF programs; with kube-proxy replacement, it also selects the endpoint, before any rule applies',
    serves: 'Cilium redirects them to its own proxy, which applies policies of layer 7 or selects an endpoint',
    replacement: {
      text: 'Check with kubectl whether Cilium replaces kube-proxy: then the value is true',
      command: "kubectl -n kube-system get configmap cilium-config -o jsonpath='{.data.kube-proxy-replacement}'",
    },
    remedy: {
      text: 'Check with kubectl whether a policy of Cilium is the reason',
      command: 'kubectl get ciliumnetworkpolicies,networkpolicies -A',
    },
  },
  {
    name: 'Flannel',
    kind: 'network plugin',
    signs: {
      chains: { nat: /^FLANNEL-POSTRTG$/, filter: /^FLANNEL-FWD$/ },
      tables: /^flannel-ipv[46]$/,
      comments: /^flanneld (?:masq|forward)$/,
      interfaces: /^(?:flannel[.-]|flannel-wg|cni0$)/,
    },
    remedy: { text: 'Check that the Network in the ConfigMap kube-flannel-cfg contains the addresses of the pods' },
  },
  {
    name: 'Canal',
    kind: 'network plugin',
    signs: {},
    remedy: CHECK_POLICIES,
  },
  {
    name: 'Weave Net',
    kind: 'network plugin',
    signs: {
      chains: { nat: /^WEAVE$/, filter: /^WEAVE-(?:NPC\S*|EXPOSE)$/, several: /^WEAVE-(?:CANARY|IPSEC-\S+)$/ },
      comments: /^Weave NPC$/,
      sets: /^weave-/,
      interfaces: /^(?:weave$|vethwe)/,
    },
    remedy: CHECK_POLICIES,
  },
  {
    name: 'Antrea',
    kind: 'network plugin',
    signs: {
      chains: {
        nat: /^ANTREA-(?:PREROUTING|POSTROUTING)$/,
        filter: /^ANTREA-(?:FORWARD|INPUT|POL-\S+)$/,
        several: /^ANTREA-/,
      },
      tables: /^antrea$/,
      comments: /^Antrea: /,
      sets: /^ANTREA-/,
      interfaces: /^antrea-/,
    },
    effect:
      'applies policies with flows in Open vSwitch; with AntreaProxy, these flows also select the endpoint, and packets to node ports get the destination 169.254.0.252',
    serves: 'AntreaProxy selects an endpoint',
    replacement: checkForKubeProxy('Antrea'),
    remedy: {
      text: 'Check with kubectl whether a policy of Antrea is the reason',
      command: 'kubectl get acnp,annp,networkpolicies -A',
    },
  },
  {
    name: 'OVN-Kubernetes',
    kind: 'network plugin',
    signs: {
      chains: {
        nat: /^OVN-KUBE-(?:NODEPORT|EXTERNALIP|ETP|EGRESS-\S+|SNAT-\S+)$/,
        several: /^OVN-KUBE-/,
      },
      tables: /^ovn-kube/,
      interfaces: /^ovn-k8s-/,
    },
    effect:
      'translates node ports and external IPs to cluster IPs, for which its flows in Open vSwitch select an endpoint',
    serves: 'OVN-Kubernetes implements Services itself and selects an endpoint',
    replacement: checkForKubeProxy('OVN-Kubernetes'),
    remedy: CHECK_POLICIES,
  },
  {
    name: 'kube-router',
    kind: 'network plugin',
    signs: {
      chains: {
        filter: /^KUBE-(?:NWPLCY-\S+|POD-FW-\S+|ROUTER-\S+)$/,
        mangle: /^KUBE-MAGLEV-\S+$/,
      },
      comments:
        /^(?:kube-router netpol|KUBE-ROUTER rule |rule to jump traffic (?:from|destined to) POD|rule to REJECT traffic destined for POD|rule to (?:log|mark|explicitly) )/,
      sets: /^(?:(?:inet6:)?kube-router-|(?:inet6:)?KUBE-(?:SRC|DST)-)/,
      interfaces: /^kube-(?:bridge|dummy-if|tunnel-\S+)$/,
    },
    replacement: checkForKubeProxy('kube-router'),
    remedy: CHECK_POLICIES,
  },
  {
    name: 'AWS VPC CNI',
    kind: 'network plugin',
    signs: {
      chains: { nat: /^AWS-(?:SNAT|CONNMARK)-CHAIN-\d+$/ },
      comments: /^(?:AWS, |AWS SNAT CHAIN)/,
      interfaces: /^(?:eni|vlan\.eth)/,
      marks: /^0x80\/0x80$/,
    },
    remedy: {
      text: 'Check with kubectl whether a network policy or a security group of pods is the reason',
      command: 'kubectl get networkpolicies,securitygrouppolicies -A',
    },
  },
  {
    name: 'Azure CNI and Azure NPM',
    kind: 'network plugin',
    signs: {
      chains: { filter: /^AZURE-NPM(?:-\S+)?$/, nat: /^SWIFT(?:-POSTROUTING)?$/ },
      sets: /^azure-npm-/,
      interfaces: /^(?:azv|azure\d)/,
    },
    remedy: CHECK_POLICIES,
  },
  {
    name: 'GKE',
    kind: 'network plugin',
    signs: { comments: /^metadata-concealment: /, interfaces: /^gke/ },
    remedy: CHECK_POLICIES,
  },
  {
    name: 'ip-masq-agent (GKE, AKS)',
    kind: 'network plugin',
    signs: {
      chains: { nat: /^IP-MASQ(?:-AGENT)?$/ },
      comments: /^ip-masq(?:-agent)?: /,
    },
    remedy: {
      text: 'Check that nonMasqueradeCIDRs in the ConfigMap ip-masq-agent contains the networks of pods and Services',
    },
  },
]
