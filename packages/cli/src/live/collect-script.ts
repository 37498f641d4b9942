/**
 * Returns the script that prints the rules of a node. The script uses only what dash, bash and busybox have built in,
 * because the image of kube-proxy and slim nodes have no `id`, `sed` or `sysctl`. A missing tool is skipped. The last
 * comment lists what could not be read. Output that no parser of kube-rules reads is printed as a comment.
 */
export function createCollectScript({ connections = false }: { readonly connections?: boolean } = {}): string {
  const steps = [FUNCTIONS, CHECK_ROOT, IPTABLES, IPSET, IPVS, NFTABLES, ADDRESSES, SETTINGS_STEP, PROXY_STATUS]
  return `${HEAD}(\n${[...steps, ...(connections ? [CONNECTIONS] : []), REPORT].join('\n')}\n) </dev/null\n`
}

/** The start of the comment that lists what the script could not read. */
export const UNREAD_COMMENT = '# not read: '

const HEAD = `#!/bin/sh
# Prints the rules of a node for kube-rules. Only reads. Usage: ssh root@NODE sh <this-file >node.dump
`

// `read` of dash and busybox reads single bytes, and the kernel returns only the first byte of a setting to such reads.
// Without `cat`, only settings with one digit can be read.
const FUNCTIONS = `unread=
missed() { unread="$unread\${unread:+, }$1"; }
has() { command -v "$1" >/dev/null 2>&1; }
has_lines() { line=; { read -r line <"$1"; } 2>/dev/null; [ -n "$line" ]; }
comment() { while IFS= read -r line; do printf '# %s\\n' "$line"; done; }
value_of() {
  value=
  if has cat; then value=$(cat "$1" 2>/dev/null); else { read -r value <"$1"; } 2>/dev/null; fi
}
setting() { value_of "$2"; if [ -n "$value" ]; then printf '# %s = %s\\n' "$1" "$value"; fi; }`

const CHECK_ROOT = `uid=$(id -u 2>/dev/null)
if [ -z "$uid" ] && [ -r /proc/self/status ]; then
  while read -r name real effective rest; do
    if [ "$name" = Uid: ]; then uid=$effective; fi
  done </proc/self/status
fi
[ "\${uid:-0}" = 0 ] || { echo 'the rules can be read only by root: use sudo sh' >&2; exit 1; }`

// If both backends are installed, `iptables-save` is the same program as `iptables-nft-save` or
// `iptables-legacy-save`, so it is not run. Without `iptables-save`, the tables of the kernel decide whether rules are
// missing from the output.
const IPTABLES = `tables=
if has nft; then tables=$(nft list tables 2>/dev/null) || missed "nft (exit code $?)"
elif has iptables-nft-save || [ -d /sys/module/nf_tables ]; then missed 'nft (not installed)'
fi
save() {
  if has "$1"; then "$1" 2>/dev/null || missed "$1 (exit code $?)"
  elif [ "$2" = yes ] || has_lines "$3"; then missed "$1 (not installed)"
  fi
}
for tool in iptables ip6tables; do
  family=ip names=/proc/net/ip_tables_names
  if [ "$tool" = ip6tables ]; then family=ip6 names=/proc/net/ip6_tables_names; fi
  if has "$tool-nft-save"; then
    save "$tool-legacy-save" no "$names"
    save "$tool-nft-save" yes
    continue
  fi
  needed=no
  has nft || needed=yes
  case $tables in *"table $family nat"*|*"table $family filter"*|*"table $family mangle"*) needed=yes ;; esac
  save "$tool-save" "$needed" "$names"
done`

// Without these kernel modules, there are no sets and no virtual servers, and the tools would load the modules.
const IPSET = `if [ -d /sys/module/ip_set ] || has ipset; then
  if ! has ipset; then missed 'ipset (not installed)'
  else ipset save 2>/dev/null || { code=$?; if [ -d /sys/module/ip_set ]; then missed "ipset (exit code $code)"; fi; }
  fi
fi`

const IPVS = `if [ -r /proc/net/ip_vs ]; then
  servers=no
  while read -r protocol rest; do
    case $protocol in TCP|UDP|SCTP|FWM) servers=yes ;; esac
  done </proc/net/ip_vs
  if has ipvsadm; then ipvsadm -Sn 2>/dev/null || missed "ipvsadm (exit code $?)"
  elif [ "$servers" = yes ]; then missed 'ipvsadm (not installed)'
  fi
fi
if has ip; then ip -o address show dev kube-ipvs0 2>/dev/null
elif [ -r /proc/net/dev ]; then
  while read -r device rest; do
    case $device in kube-ipvs0:*) missed 'addresses of kube-ipvs0 (ip is not installed)' ;; esac
  done </proc/net/dev
fi`

// Lists only the nftables tables that `iptables-save` does not already print. `iptables-save` prints the tables of
// iptables-nft, except tables with parts that it cannot print.
const NFTABLES = `list_table() {
  tool=
  case $2:$3 in
    ip:raw|ip:mangle|ip:nat|ip:filter|ip:security) tool=iptables ;;
    ip6:raw|ip6:mangle|ip6:nat|ip6:filter|ip6:security) tool=ip6tables ;;
  esac
  if [ -n "$tool" ]; then
    if has "$tool-nft-save"; then tool=$tool-nft; fi
    case $("$tool-save" -V 2>/dev/null; "$tool-save" -t "$3" 2>/dev/null) in
      *incompatible*) ;;
      *nft*|*nf_tables*) return ;;
    esac
  fi
  nft list table "$2" "$3" 2>/dev/null || missed "nft table $2 $3 (exit code $?)"
}
set -f
newline='
'
IFS=$newline
for table in $tables; do
  IFS=' '
  list_table $table
  IFS=$newline
done
unset IFS
set +f`

const ADDRESSES = 'if has ip; then ip -o address show 2>/dev/null | comment; fi'

/** The kernel settings that decide about packets of Services. Their values have one digit. */
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

const SETTINGS_STEP = `${SETTINGS.map((name) => `setting ${name} /proc/sys/${name.replaceAll('.', '/')}`).join('\n')}
if has cat; then
  value_of /proc/sys/net/netfilter/nf_conntrack_count
  count=$value
  value_of /proc/sys/net/netfilter/nf_conntrack_max
  if [ -n "$count" ]; then printf '# conntrack: %s of %s\\n' "$count" "$value"; fi
fi`

// The image of kube-proxy has neither curl nor wget. The address is that of metricsBindAddress by default. A line end
// in the configuration would end the comment.
const PROXY_STATUS = `unset http_proxy
reported() {
  value=
  if has curl; then value=$(curl -fsS -m 2 "http://127.0.0.1:10249/$1" 2>/dev/null)
  elif has wget; then value=$(wget -q -T 2 -O - "http://127.0.0.1:10249/$1" 2>/dev/null)
  fi
}
reported proxyMode
case $value in iptables|ipvs|nftables|userspace) printf '# kube-proxy mode: %s\\n' "$value" ;; esac
reported configz
case $value in
  *"
"*) ;;
  '{"kubeproxy.config.k8s.io":'*) printf '# kube-proxy configuration: %s\\n' "$value" ;;
esac`

const CONNECTIONS = `if has conntrack; then
  for family in ipv4 ipv6; do conntrack -L -p udp -f "$family" 2>/dev/null; done | comment
elif [ -r /proc/net/nf_conntrack ]; then
  while IFS= read -r line; do
    case $line in *' udp '*) printf '# %s\\n' "$line" ;; esac
  done </proc/net/nf_conntrack
else missed 'connections (conntrack is not installed)'
fi`

const REPORT = `if [ -n "$unread" ]; then
  printf '${UNREAD_COMMENT}%s\\n' "$unread"
  printf 'not read: %s\\n' "$unread" >&2
fi`
