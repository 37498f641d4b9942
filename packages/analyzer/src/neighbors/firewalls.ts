import type { Neighbor } from './neighbor.js'

/** Firewalls of the node, and programs that block addresses. */
export const FIREWALLS: readonly Neighbor[] = [
  {
    name: 'firewalld',
    kind: 'firewall',
    signs: {
      chains: {
        filter: /^(?:FWD[IO]?_\S+|IN_\S+|INPUT_(?:ZONES\S*|direct)|FORWARD_(?:(?:IN|OUT)_ZONES\S*|direct))$/,
        nat: /^(?:POST_\S+|POSTROUTING_(?:ZONES\S*|direct)|OUTPUT_direct)$/,
        several: /^(?:PRE_\S+|PREROUTING_(?:ZONES\S*|direct))$/,
      },
      tables: /^firewalld$/,
      rules:
        /^-A (?:INPUT|FORWARD) (?:-j REJECT --reject-with icmp6?-(?:host|adm)-prohibited|-m conntrack --ctstate INVALID -j DROP)$/,
    },
    remedy: {
      text: 'Add the networks of pods and Services to the zone trusted of firewalld, for example with firewall-cmd --permanent --zone=trusted --add-source=NETWORK and firewall-cmd --reload, and then restart kube-proxy',
    },
  },
  {
    name: 'ufw',
    kind: 'firewall',
    signs: { chains: { filter: /^ufw\S*$/ }, policies: ['INPUT', 'FORWARD'] },
    remedy: {
      text: 'Accept the networks of pods and Services in ufw, for example with ufw allow from NETWORK and ufw route allow from NETWORK, and accept forwarded packets with DEFAULT_FORWARD_POLICY="ACCEPT" in /etc/default/ufw',
    },
  },
  {
    name: 'Talos',
    kind: 'firewall',
    signs: { tables: /^talos$/ },
    remedy: {
      text: 'Add a NetworkRuleConfig for the node ports to the machine configuration of every node',
    },
  },
  {
    name: 'fail2ban',
    kind: 'firewall',
    signs: { chains: { several: /^f2b-/ }, tables: /^f2b-table$/, sets: /^(?:f2b-|addr6?-set-)/ },
    remedy: {
      text: 'Remove the address from the list with fail2ban-client unban ADDRESS, and add the networks of nodes and load balancers to ignoreip',
    },
  },
  {
    name: 'CrowdSec',
    kind: 'firewall',
    signs: {
      chains: { several: /^CROWDSEC_(?:CHAIN|LOG)$/ },
      tables: /^crowdsec6?$/,
      sets: /^crowdsec6?[-_]blacklists?/,
    },
    remedy: {
      text: 'Remove the address with cscli decisions delete --ip ADDRESS, and add the networks of nodes and load balancers to an allowlist',
    },
  },
]
