import type { Neighbor } from './neighbor.js'

/** Programs that publish ports of containers, and the plugins that they call. */
export const CONTAINER_RUNTIMES: readonly Neighbor[] = [
  {
    name: 'CNI portmap (hostPort)',
    kind: 'container runtime',
    signs: {
      chains: { nat: /^CNI-(?:HOSTPORT-\S+|DN-\S+|SN-\S+)$/ },
      tables: /^cni_hostport$/,
      comments: /^(?:dnat name: |snat name: |CNI portfwd )/,
    },
    remedy: {
      text: 'If this pod should not get the packets, find it by its address with kubectl, and change its hostPort',
      command: 'kubectl get pods -A -o wide',
    },
  },
  {
    name: 'kubenet and CRI-O (hostPort)',
    kind: 'container runtime',
    signs: {
      chains: { nat: /^KUBE-(?:HOSTPORTS|HP-\S+)$/ },
      tables: /^crio-hostports$/,
      comments: /^kube hostport (?:portals|masquerade)$/,
    },
    remedy: {
      text: 'If this pod should not get the packets, find it by its address with kubectl, and change its hostPort',
      command: 'kubectl get pods -A -o wide',
    },
  },
  {
    name: 'CNI bridge and firewall',
    kind: 'container runtime',
    signs: {
      chains: { filter: /^CNI-(?:FORWARD|ADMIN|ISOLATION-STAGE-\d)$/, nat: /^CNI-[0-9a-f]{24}$/, several: /^CNI-/ },
      tables: /^cni_plugins_masquerade$/,
      comments: /^(?:name: |CNI firewall plugin )/,
      interfaces: /^(?:nerdctl\d|cni-podman\d)/,
    },
    remedy: { text: 'Check that the subnet in /etc/cni/net.d contains the addresses of the pods' },
  },
  {
    name: 'containerd',
    kind: 'container runtime',
    signs: {},
    remedy: { text: 'Check the list of plugins in /etc/cni/net.d' },
  },
  {
    name: 'Docker',
    kind: 'container runtime',
    signs: {
      chains: {
        filter: /^DOCKER-(?:USER|FORWARD|CT|BRIDGE|INTERNAL|ISOLATION(?:-STAGE-\d)?)$/,
        several: /^DOCKER(?:-INGRESS)?$/,
      },
      tables: /^docker-bridges$/,
      interfaces: /^(?:docker(?:0|_gwbridge)|br-[0-9a-f]{12})$/,
      policies: ['FORWARD'],
    },
    remedy: {
      text: 'Stop Docker from changing the policy of FORWARD: set "ip-forward-no-drop": true in /etc/docker/daemon.json (Docker 28 or newer), or accept the network of the pods in chain DOCKER-USER',
    },
  },
  {
    name: 'Podman',
    kind: 'container runtime',
    signs: {
      chains: {
        nat: /^NETAVARK-(?:HOSTPORT-\S+|DN-\S+|[0-9A-F]{12,})$/,
        filter: /^NETAVARK_(?:FORWARD|INPUT|ISOLATION_\d)$/,
        several: /^NETAVARK[-_]/,
      },
      tables: /^netavark$/,
      comments: /^netavark /,
      interfaces: /^podman\d+$/,
    },
    remedy: { text: 'Publish the container on a different port, outside the node port range (30000-32767 by default)' },
  },
]
