import type { CliContext } from '../../cli-context.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { collectOptions } from './collect-options.js'

/** Runs `kube-rules collect`. */
export async function runCollect(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(collectOptions, context.args)
  assertNoOperands(operands)
  const steps = values.connections ? [...STEPS, CONNECTIONS] : STEPS
  await context.stdout.write(`sudo sh -c '${steps.join('; ')}' > node.dump\n`)
  return 0
}

/** The kernel settings that decide about packets of Services. */
const SETTINGS: readonly string[] = [
  'net.ipv4.ip_forward',
  'net.ipv6.conf.all.forwarding',
  'net.ipv4.conf.all.route_localnet',
  'net.ipv4.conf.all.rp_filter',
  'net.ipv4.conf.all.arp_ignore',
  'net.ipv4.conf.all.arp_announce',
  'net.bridge.bridge-nf-call-iptables',
  'net.bridge.bridge-nf-call-ip6tables',
  'net.ipv4.vs.conntrack',
  'net.ipv4.vs.conn_reuse_mode',
  'net.ipv4.vs.expire_nodest_conn',
  'net.ipv4.vs.expire_quiescent_template',
  'net.netfilter.nf_conntrack_tcp_be_liberal',
]

const CONNECTIONS = 'for f in ipv4 ipv6; do conntrack -L -p udp -f $f 2>/dev/null; done | sed "s/^/# /"'

/**
 * The steps of the collect script: shell commands without single quotes. A missing tool is skipped. Output that no
 * parser of kube-rules reads is printed as a comment.
 */
const STEPS: readonly string[] = [
  // If both backends are installed, `iptables-save` is the same program as `iptables-nft-save` or
  // `iptables-legacy-save`, so it is not run.
  'for i in iptables ip6tables; do if command -v $i-nft-save >/dev/null; then $i-legacy-save; $i-nft-save; else $i-save; fi; done 2>/dev/null',
  'ipset save 2>/dev/null',
  'ipvsadm -Sn 2>/dev/null',
  'ip -o address show dev kube-ipvs0 2>/dev/null',
  // Lists only the nftables tables that `iptables-save` does not already print. `iptables-save` prints the tables of
  // iptables-nft, except tables with parts that it cannot print.
  'nft list tables 2>/dev/null | while read -r w f t; do case $f:$t in ip:raw|ip:mangle|ip:nat|ip:filter|ip:security) i=iptables;; ip6:raw|ip6:mangle|ip6:nat|ip6:filter|ip6:security) i=ip6tables;; *) i=;; esac; s=$i-save; if command -v $i-nft-save >/dev/null; then s=$i-nft-save; fi; o=; if [ "$i" ]; then o=$($s -V; $s -t $t); fi 2>/dev/null; case $o in *incompatible*) ;; *nft*|*nf_tables*) continue;; esac; nft list table $f $t 2>/dev/null; done',
  'ip -o address show | sed "s/^/# /"',
  `sysctl ${SETTINGS.join(' ')} 2>/dev/null | sed "s/^/# /"`,
  'echo "# conntrack: $(conntrack -C 2>/dev/null) of $(sysctl -n net.netfilter.nf_conntrack_max 2>/dev/null)"',
]
