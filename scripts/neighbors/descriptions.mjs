// The words of docs/reference/neighbors.md about each program of packages/analyzer/src/neighbors, by its name: the effect
// of its rules on packets of Services, unless diagnoses print it too, and whether this effect is normal.
export const DESCRIPTIONS = {
  Calico: {
    effect:
      'accepts or drops packets by its network policies, after kube-proxy has selected an endpoint; with chainInsertMode Insert, its rules apply before the rules of kube-proxy in table filter',
    assessment: 'normal; a network policy that drops packets of a Service is a setting of this cluster',
  },
  Cilium: {
    assessment: 'normal; with kube-proxy replacement, no kube-proxy should run, and rules of kube-proxy are leftovers',
  },
  Flannel: {
    effect:
      'accepts forwarded packets of the pod network, and masquerades packets of pods that leave the network of the cluster',
    assessment: 'normal',
  },
  Canal: {
    effect: 'writes no rules of its own: it runs Calico for network policies and Flannel for the network',
    assessment: 'normal; see Calico and Flannel',
  },
  'Weave Net': {
    effect:
      'accepts or drops packets by its network policies, after kube-proxy has selected an endpoint, and masquerades packets of pods that leave the network of the cluster',
    assessment: 'normal; a network policy that drops packets of a Service is a setting of this cluster',
  },
  Antrea: {
    assessment: 'normal; with proxyAll, no kube-proxy should run',
  },
  'OVN-Kubernetes': {
    assessment: 'normal; OVN-Kubernetes implements Services itself, and no kube-proxy should run',
  },
  'kube-router': {
    effect:
      'accepts or drops packets by its network policies, after kube-proxy has selected an endpoint (also as part of K3s); with --run-service-proxy, it also serves Services with virtual servers',
    assessment: 'normal; a network policy that drops packets of a Service is a setting of this cluster',
  },
  'AWS VPC CNI': {
    effect:
      'marks connections of secondary network interfaces (0x80), and sets the source of packets that leave the VPC',
    assessment: 'normal; its marks do not change the handling of packets of Services',
  },
  'Azure CNI and Azure NPM': {
    effect:
      'accepts or drops packets by its network policies, after kube-proxy has selected an endpoint (Azure NPM), and sets the source of packets that leave the virtual network',
    assessment: 'normal; a network policy that drops packets of a Service is a setting of this cluster',
  },
  GKE: {
    effect:
      'sends packets to the metadata server to a proxy on the node, and has rules for the interfaces of pods (gke…)',
    assessment: 'normal; no Service has the address of the metadata server',
  },
  'ip-masq-agent (GKE, AKS)': {
    effect: 'masquerades packets of pods that leave the network of the cluster',
    assessment: 'normal; packets to cluster IPs and pods keep their source',
  },
  'CNI portmap (hostPort)': {
    effect:
      'sends packets to a hostPort of a pod to this pod; in ipvs mode, and up to version 0.7.4 also in iptables mode, before the rules of kube-proxy',
    assessment: 'normal; a hostPort that is also a port of a Service at an address of the node hides this Service',
  },
  'kubenet and CRI-O (hostPort)': {
    effect: 'sends packets to a hostPort of a pod to this pod',
    assessment: 'normal; a hostPort that is also a port of a Service at an address of the node hides this Service',
  },
  'CNI bridge and firewall': {
    effect: 'accepts forwarded packets of containers, and masquerades packets that leave the network of the containers',
    assessment: 'normal; containerd, nerdctl and CRI-O call these plugins',
  },
  containerd: {
    effect: 'writes no rules of its own: it calls network plugins, such as CNI bridge, portmap and firewall',
    assessment: 'normal; see these plugins',
  },
  Docker: {
    effect: 'sets the policy of FORWARD to DROP, isolates its networks, and sends published ports to containers',
    assessment:
      'normal, if the rules of kube-proxy and of the network plugin accept packets of Services; a published port hides a node port with the same number',
  },
  Podman: {
    effect: 'sends published ports to containers, and accepts forwarded packets of its networks',
    assessment: 'normal; a published port hides a node port with the same number',
  },
  firewalld: {
    effect: 'may drop packets of Services before or after kube-proxy selects an endpoint',
    assessment:
      'a fault if packets of pods or Services are lost: the firewall must accept these networks on every node',
  },
  ufw: {
    effect:
      'may drop packets of Services before or after kube-proxy selects an endpoint; sets the policies of INPUT and FORWARD to DROP',
    assessment:
      'a fault if packets of pods or Services are lost: the firewall must accept these networks on every node',
  },
  Talos: {
    effect:
      'with an ingress firewall, drops packets to ports of the node that no NetworkRuleConfig accepts; before kube-proxy, also those to node ports',
    assessment: 'a fault if clients need node ports: a NetworkRuleConfig must accept them on every node',
  },
  fail2ban: {
    effect:
      'drops or rejects packets from addresses with failed logins, usually in INPUT, which packets to pods do not pass',
    assessment: 'normal; a fault if it blocks an address of a node or of a load balancer',
  },
  CrowdSec: {
    effect: 'drops packets from addresses of its lists, in INPUT and, if configured, in FORWARD',
    assessment: 'normal; a fault if it blocks an address of a node or of a load balancer',
  },
  'NodeLocal DNSCache': {
    assessment:
      'normal; only ipvs mode still sends these packets to an endpoint, and the cache then needs an address of its own',
  },
  Istio: {
    assessment: 'normal; a pod with a proxy does not use the rules of kube-proxy for Services of the mesh',
  },
  Linkerd: {
    assessment: 'normal; a pod with a proxy does not use the rules of kube-proxy for Services of the mesh',
  },
  'kube-vip': {
    assessment:
      'normal; with load balancing of the control plane, it creates a virtual server of its own, which kube-proxy in ipvs mode must exclude',
  },
  MetalLB: {
    effect:
      'writes no rules: it announces load-balancer IPs by ARP, NDP or BGP, and kube-proxy handles the packets on the node',
    assessment: 'normal; in ipvs mode, announcements by ARP need ipvs.strictARP: true',
  },
  'K3s ServiceLB': {
    effect:
      'writes no rules on the node: its pods (svclb-…) use hostPorts, for which CNI portmap writes rules, and their own rules send packets to the cluster IP',
    assessment:
      'normal; where rules of CNI portmap come first, packets from outside to a load-balancer IP that is an address of the node go to the pod svclb-…',
  },
  Tailscale: {
    effect:
      'drops packets from 100.64.0.0/10 that do not arrive through its interface, and masquerades packets that it forwards',
    assessment: 'normal; a fault if the network of pods, Services or nodes overlaps with 100.64.0.0/10',
  },
  'WireGuard (wg-quick)': {
    effect: 'drops packets to its own address that do not arrive through its interface, and marks its own packets',
    assessment: 'normal; packets of Services to the address of the tunnel must arrive through it',
  },
}
