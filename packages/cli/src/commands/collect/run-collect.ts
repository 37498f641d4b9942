import type { CliContext } from '../../cli-context.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { collectOptions } from './collect-options.js'

/** Runs `kube-rules collect`. */
export async function runCollect(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(collectOptions, context.args)
  assertNoOperands(operands)
  const steps = values.connections ? [...STEPS, CONNECTIONS] : STEPS
  await context.stdout.write(`${HEAD}(\n${[CHECK, ...steps].join('\n')}\n) </dev/null\n`)
  return 0
}

const HEAD = `#!/bin/sh
# Prints the rules of a node for kube-rules. Only reads. Usage: ssh root@NODE sh <this-file >node.dump
`

const CHECK = `[ "$(id -u)" = 0 ] || { echo 'the rules can be read only by root: use sudo sh' >&2; exit 1; }`

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

const CONNECTIONS = `for family in ipv4 ipv6; do
  conntrack -L -p udp -f "$family" 2>/dev/null
done | sed 's/^/# /'`

/**
 * The steps of the script, in the common language of dash, bash and busybox. A missing tool is skipped. Output that no
 * parser of kube-rules reads is printed as a comment.
 */
const STEPS: readonly string[] = [
  // If both backends are installed, `iptables-save` is the same program as `iptables-nft-save` or
  // `iptables-legacy-save`, so it is not run.
  `for tool in iptables ip6tables; do
  if command -v "$tool-nft-save" >/dev/null; then "$tool-legacy-save"; "$tool-nft-save"; else "$tool-save"; fi
done 2>/dev/null`,
  'ipset save 2>/dev/null',
  'ipvsadm -Sn 2>/dev/null',
  'ip -o address show dev kube-ipvs0 2>/dev/null',
  // Lists only the nftables tables that `iptables-save` does not already print. `iptables-save` prints the tables of
  // iptables-nft, except tables with parts that it cannot print.
  `nft list tables 2>/dev/null | while read -r word family table; do
  case $family:$table in
    ip:raw|ip:mangle|ip:nat|ip:filter|ip:security) tool=iptables ;;
    ip6:raw|ip6:mangle|ip6:nat|ip6:filter|ip6:security) tool=ip6tables ;;
    *) tool= ;;
  esac
  if [ -n "$tool" ]; then
    if command -v "$tool-nft-save" >/dev/null; then tool=$tool-nft; fi
    case $("$tool-save" -V 2>/dev/null; "$tool-save" -t "$table" 2>/dev/null) in
      *incompatible*) ;;
      *nft*|*nf_tables*) continue ;;
    esac
  fi
  nft list table "$family" "$table" 2>/dev/null
done`,
  "ip -o address show | sed 's/^/# /'",
  `sysctl ${SETTINGS.join(' ')} 2>/dev/null | sed 's/^/# /'`,
  'echo "# conntrack: $(conntrack -C 2>/dev/null) of $(sysctl -n net.netfilter.nf_conntrack_max 2>/dev/null)"',
]
