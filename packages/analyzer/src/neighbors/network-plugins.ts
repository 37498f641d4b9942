import type { Neighbor, NeighborStep } from './neighbor.js'

const CHECK_POLICIES: NeighborStep = {
  text: 'Check with kubectl whether a network policy is the reason',
  command: 'kubectl get networkpolicies -A',
}

const POLICIES = 'accepts or drops packets by its network policies, after kube-proxy has selected an endpoint'
const MASQUERADES = 'masquerades packets of pods that leave the network of the cluster'
const POLICIES_ARE_NORMAL = 'normal; a network policy that drops packets of a Service is a setting of this cluster'

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
    effect: `${POLICIES}; with chainInsertMode Insert, its rules apply before the rules of kube-proxy in table filter`,
    assessment: POLICIES_ARE_NORMAL,
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
    assessment: 'normal; with kube-proxy replacement, no kube-proxy should run, and rules of kube-proxy are leftovers',
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
    effect: `accepts forwarded packets of the pod network, and ${MASQUERADES}`,
    assessment: 'normal',
    remedy: { text: 'Check that the Network in the ConfigMap kube-flannel-cfg contains the addresses of the pods' },
  },
  {
    name: 'Canal',
    kind: 'network plugin',
    signs: {},
    effect: 'writes no rules of its own: it runs Calico for network policies and Flannel for the network',
    assessment: 'normal; see Calico and Flannel',
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
    effect: `${POLICIES}, and ${MASQUERADES}`,
    assessment: POLICIES_ARE_NORMAL,
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
    assessment: 'normal; with proxyAll, no kube-proxy should run',
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
    assessment: 'normal; OVN-Kubernetes implements Services itself, and no kube-proxy should run',
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
    effect: `${POLICIES} (also as part of K3s); with --run-service-proxy, it also serves Services with virtual servers`,
    assessment: POLICIES_ARE_NORMAL,
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
    effect:
      'marks connections of secondary network interfaces (0x80), and sets the source of packets that leave the VPC',
    assessment: 'normal; its marks do not change the handling of packets of Services',
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
    effect: `${POLICIES} (Azure NPM), and sets the source of packets that leave the virtual network`,
    assessment: POLICIES_ARE_NORMAL,
    remedy: CHECK_POLICIES,
  },
  {
    name: 'ip-masq-agent (GKE, AKS)',
    kind: 'network plugin',
    signs: {
      chains: { nat: /^IP-MASQ(?:-AGENT)?$/ },
      comments: /^(?:ip-masq(?:-agent)?: |metadata-concealment: )/,
      interfaces: /^gke/,
    },
    effect: `${MASQUERADES}; on GKE, a rule also sends packets to the metadata server to a proxy on the node`,
    assessment: 'normal; packets to cluster IPs and pods keep their source',
    remedy: {
      text: 'Check that nonMasqueradeCIDRs in the ConfigMap ip-masq-agent contains the networks of pods and Services',
    },
  },
]
